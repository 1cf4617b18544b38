#include "report/html/style.h"

namespace schedlens {

namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--ink:#1b1f24;--soft:#57606b;--line:#dfe3e8;
--accent:#1f63c6;--warn:#b4530a;--bad:#b3261e;--good:#1a7040;--unsure:#8a5a00;--before:#7f8995}
@media screen and (prefers-color-scheme:dark){:root{--bg:#101418;--panel:#181d23;--ink:#e6e9ed;--soft:#a0a9b4;
--line:#2b323b;--accent:#74a9ff;--warn:#f0a35e;--bad:#ff8a80;--good:#6fd39b;--unsure:#e8bf5a;--before:#6f7a87}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,"PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif;overflow-wrap:anywhere}
main,.top,footer{max-width:64rem;margin:0 auto;padding:0 1.25rem}
.wide{max-width:84rem}
.top{padding-top:2.25rem}
.brand{color:var(--soft);font-size:.875rem;margin:0 0 1.25rem}
.brand b{color:var(--ink);font-weight:600}
h1{font-size:clamp(1.45rem,3.4vw,2.1rem);line-height:1.22;letter-spacing:-.015em;font-weight:650;margin:.5rem 0 1rem;
text-wrap:balance}
h2{font-size:1.2rem;font-weight:650;letter-spacing:-.01em;margin:0 0 .75rem}
h3{font-size:1rem;font-weight:600;margin:1.25rem 0 .35rem}
section{padding:2rem 0;border-top:1px solid var(--line)}
p{margin:.4rem 0 .8rem;max-width:46rem}
.soft{color:var(--soft);font-size:.9rem}
.verdict{display:inline-block;font-size:.8rem;font-weight:650;padding:.15rem .6rem;border-radius:1rem;
border:1.5px solid currentColor}
.incident{color:var(--bad)}.no-incident{color:var(--good)}.artifact,.undecidable,.insufficient-data{color:var(--unsure)}
.facts{display:flex;flex-wrap:wrap;gap:1px;background:var(--line);
border:1px solid var(--line);border-radius:.6rem;overflow:hidden;margin:1.25rem 0}
.facts div{flex:1 1 8.2rem;background:var(--panel);padding:.8rem 1rem}
.facts data{white-space:nowrap}.facts dt{color:var(--soft);font-size:.8rem}
.facts dd{margin:.1rem 0 0;font-size:1.12rem;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.35}
dl.meta{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.25rem;font-size:.9rem;margin:0 0 1.75rem}
.meta dt{color:var(--soft)}.meta dd{margin:0;min-width:0}
nav{border-top:1px solid var(--line);padding:.6rem 0;font-size:.875rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:0;padding:0}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.18em}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
code{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
p code,li code,dd code{background:var(--panel);border-radius:.25rem;padding:.08em .3em}
ul,ol{padding-left:1.3rem;margin:.4rem 0}
ul{list-style:disc}
.findings{list-style:none;padding:0;margin:0;counter-reset:f}
.findings>li{counter-increment:f;padding:1rem 0 1rem 2.4rem;position:relative;border-top:1px solid var(--line)}
.findings>li:first-child{border-top:0;padding-top:0}
.findings>li::before{content:counter(f);position:absolute;left:0;width:1.6rem;height:1.6rem;border-radius:50%;
background:var(--panel);color:var(--soft);font-size:.85rem;font-weight:600;text-align:center;line-height:1.6rem}
.findings>li:first-child::before{background:var(--accent);color:var(--bg)}
.findings h3{margin:0}
.tag{color:var(--soft);font-size:.875rem;margin:.1rem 0 .6rem}
.tag b{color:var(--ink);font-weight:600}
h4{font-size:.8rem;font-weight:600;color:var(--soft);margin:.7rem 0 .1rem}
.findings ul{margin:.1rem 0}
.q{margin:.1rem 0 .35rem}.q summary{font-size:.8rem}.q code{background:none;padding:0}
.plot{display:grid;grid-template-columns:4.2rem minmax(0,1fr);grid-template-rows:15rem 1.6rem;margin:.9rem 0 .3rem}
.plot svg{grid-column:2;grid-row:1;width:100%;height:100%;display:block;border-bottom:1px solid var(--before)}
.y-axis{grid-column:1;grid-row:1;position:relative}
.x-axis{grid-column:2;grid-row:2;position:relative;overflow:hidden}
.y-axis span,.x-axis span{position:absolute;font-size:.75rem;color:var(--soft);white-space:nowrap;
font-variant-numeric:tabular-nums}
.y-axis span{right:.6rem;transform:translateY(-50%)}
.x-axis span{top:.3rem;transform:translateX(-50%)}
.x-axis .first{transform:none}.x-axis .last{transform:translateX(-100%)}
.grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.line.accent{stroke:var(--accent)}.line.warn{stroke:var(--warn)}.line.muted{stroke:var(--before)}
.band{stroke:none;fill-opacity:.2}
.band.accent{fill:var(--accent)}.band.warn{fill:var(--warn);fill-opacity:.28}
.rule{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:6 4;vector-effect:non-scaling-stroke;fill:none}
.marks{grid-column:2;grid-row:1;position:relative;overflow:hidden;pointer-events:none}
.marks span{position:absolute;top:0;transform:translateX(-50%);font-size:.7rem;font-weight:600;line-height:1.15rem;
padding:0 .3rem;border-radius:.3rem;background:var(--good);color:var(--bg);white-space:nowrap}
.marks .late{top:1.3rem;background:var(--panel);color:var(--soft);font-weight:400}
path.change{stroke:var(--good);stroke-width:1.5;vector-effect:non-scaling-stroke;fill:none}
path.change.late{stroke:var(--before);stroke-dasharray:2 3}
rect.change{fill:var(--good);fill-opacity:.12}rect.change.late{fill:var(--before);fill-opacity:.1}
.scrapes{stroke:var(--before);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.span{fill:var(--ink);fill-opacity:.08}.span.before{fill-opacity:.035}
.heat{fill:var(--accent)}
.heat1{fill-opacity:.12}.heat2{fill-opacity:.26}.heat3{fill-opacity:.42}.heat4{fill-opacity:.6}.heat5{fill-opacity:.8}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;padding:0 0 0 4.2rem;margin:.2rem 0 .8rem;
font-size:.8rem;color:var(--soft)}
.legend li::before{content:"";display:inline-block;width:1.1rem;margin-right:.4rem;vertical-align:middle}
.scale .name::before{display:none}.key-heat::before{height:.7rem;background:var(--accent)}
.heat1::before{opacity:.12}.heat2::before{opacity:.26}.heat3::before{opacity:.42}.heat4::before{opacity:.6}
.heat5::before{opacity:.8}
.key-line::before{border-top:2.5px solid var(--before)}.key-line.accent::before{border-color:var(--accent)}
.key-line.warn::before{border-color:var(--warn)}
.key-band::before,.key-span::before{height:.7rem;background:var(--ink)}
.key-span::before{opacity:.16}.key-span.before::before{opacity:.07}
.key-band.accent::before{background:var(--accent);opacity:.28}.key-band.warn::before{background:var(--warn);opacity:.35}
.key-rule::before{border-top:2px dashed var(--bad)}
.key-scrapes::before{height:.5rem;background:repeating-linear-gradient(90deg,var(--before) 0 1px,transparent 1px 4px)}
.key-change::before{border-top:2px solid var(--good)}.key-change.late::before{border-top:2px dotted var(--before)}
.stages{display:grid;gap:.3rem 0;font-size:.9rem;font-variant-numeric:tabular-nums}
.stage{display:grid;grid-template-columns:minmax(9rem,15rem) minmax(6rem,1fr) 8.6rem 5.2rem;gap:0 .9rem;align-items:center}
.tail .stage{grid-template-columns:minmax(9rem,13rem) minmax(6rem,1fr) 11rem 11rem}
.stage .v{text-align:right}
.stage.head{color:var(--soft);font-size:.8rem}
.stage.deep{color:var(--soft)}
.stage svg{width:100%;height:1.05rem;display:block}
.track{fill:var(--panel)}.now{fill:var(--accent)}.was{fill:var(--before)}.more{fill:var(--warn)}
.deep .now{fill-opacity:.6}
.per-pod .stage{grid-template-columns:minmax(9rem,15rem) minmax(6rem,1fr) max(9.5rem,15%) 5.5rem;padding:.2rem 0}
.per-pod .stage svg{height:1.5rem}.per-pod .head{padding:0}
.per-pod+.legend{padding-left:0;margin-top:.6rem}.per-pod b{font-weight:650}.excess{font-weight:600}.head .excess{font-weight:400}
.key-bar::before{height:.7rem;background:var(--accent)}.key-bar.was::before{background:var(--before)}
.key-bar.more::before{background:var(--warn)}
.dot{stroke:var(--ink);stroke-width:3;vector-effect:non-scaling-stroke}
.scroll{overflow-x:auto;margin:.6rem 0;max-width:100%}
table{border-collapse:collapse;font-size:.875rem;width:100%;overflow-wrap:normal}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.scroll{position:relative}
th,td{padding:.35rem .9rem .35rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-weight:500;font-size:.8rem;white-space:nowrap}
tbody th{font-weight:500;max-width:24rem;overflow-wrap:break-word}
td{max-width:26rem;overflow-wrap:break-word}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td:last-child,th:last-child{padding-right:0}
.groups .verdict{white-space:nowrap}.groups .summary{min-width:15rem}.per-pod-cell{min-width:10rem}
.per-pod-cell svg{display:block;width:100%;height:1.1rem}.per-pod-cell .v{display:block;text-align:right;white-space:nowrap}
.groups+.legend,.scroll+.legend{padding-left:0}
details{margin:.5rem 0}
.group{border-top:1px solid var(--line);padding:.5rem 0;margin:0}.group:first-of-type{border-top:0}
.group>summary{font-size:1rem;width:auto;color:var(--ink)}.group>summary .verdict{margin-left:.4rem}
.group .legend{padding-left:0}
summary{cursor:pointer;color:var(--accent);font-size:.875rem;width:max-content;max-width:100%}
.blank{border:1px dashed var(--before);border-radius:.4rem;padding:.4rem .7rem;color:var(--soft);font-size:.9rem;
margin:.2rem 0;max-width:46rem}
.infer{font-size:.75rem;font-weight:500;color:var(--unsure);border:1px solid currentColor;border-radius:.7rem;
padding:0 .45rem;margin-left:.4rem;white-space:nowrap;vertical-align:.08em}
.events{list-style:none;padding:0;border-left:2px solid var(--line);margin:.5rem 0 .5rem .3rem}
.events li{padding:.15rem 0 .45rem 1.1rem;position:relative}
.events li::before{content:"";position:absolute;left:-.38rem;top:.62rem;width:.6rem;height:.6rem;border-radius:50%;
background:var(--bg);border:2px solid var(--accent)}
time{font-variant-numeric:tabular-nums}
footer{color:var(--soft);font-size:.85rem;padding-top:1.5rem;padding-bottom:3rem;border-top:1px solid var(--line)}
@media(max-width:640px){main,.top,footer{padding-left:1rem;padding-right:1rem}
.top{padding-top:1.25rem}
dl.meta{grid-template-columns:1fr;gap:0}.meta dd{margin-bottom:.45rem}
.plot{grid-template-columns:3.4rem minmax(0,1fr);grid-template-rows:12rem 1.6rem}.legend{padding-left:0}
.x-axis span:nth-child(even){display:none}
.stage,.tail .stage{grid-template-columns:minmax(0,1fr) auto;gap:0 .8rem;padding:.15rem 0}
.stage.head span:nth-child(2){display:none}
.stage .bar{grid-column:1/-1;grid-row:2}.stage .x{display:none}
.per-pod .stage{grid-template-columns:minmax(0,1fr) auto 4.8rem;padding:.25rem 0}
.stacked,.stacked tbody,.stacked tr,.stacked tbody th,.stacked td{display:block;max-width:none}
.stacked thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stacked tr{border-bottom:1px solid var(--line);padding:.35rem 0}
.stacked tbody th,.stacked td{border:0;padding:.1rem 0;text-align:left}
.stacked td{display:flex;justify-content:space-between;gap:1rem;overflow-wrap:anywhere}
.stacked .num{white-space:normal}
.stacked .per-pod-cell{display:block}.stacked .per-pod-cell::before{display:block}
.groups .verdict{white-space:normal}.groups .summary{min-width:0}
.stacked .summary::before{display:none}
.stacked td:empty{display:none}.stacked td::before{content:attr(data-h);color:var(--soft);flex:none}
.findings>li{padding-left:2.1rem}}
@media print{@page{margin:14mm 12mm}:root{--panel:#f6f7f9;--ink:#000;--soft:#444}
body{font-size:10pt}nav,details:not([open]){display:none}main,.top,footer{max-width:none;padding-left:0;padding-right:0}
.top{padding-top:0}section{padding:1rem 0}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.plot{grid-template-rows:11rem 1.6rem;padding-top:.6rem}.facts div{flex-basis:5rem;padding:.5rem}.facts dd{font-size:1rem}
.tail .stage{grid-template-columns:9rem minmax(8rem,1fr) 9.5rem 9.5rem}.plot,.stage,.legend,tr,h1,h2,h3,h4{break-inside:avoid}
h1,h2,h3,h4,h2+p,.tag,.stage.head{break-after:avoid}.scroll{overflow:visible}
table{font-size:8pt}th,td{padding-right:.5rem}tbody th,td{overflow-wrap:anywhere}tbody th{min-width:7em}a{color:inherit}}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
)css";

}  // namespace

std::string_view HtmlStyle() { return kStyle; }

}  // namespace schedlens
