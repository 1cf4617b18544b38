"""Inputs of test/hostile and what it does to their numbers: recordings, JSON, and any other text."""
import copy
import functools
import gzip
import json
import re

VALUES = ("0", "-0", "-1", "NaN", "+Inf", "-Inf", "9007199254740993", "1e17", "1e308")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
LE = re.compile(r'([{,]le=")([^"]*)"')
PART = re.compile(r"_(sum|count|bucket)$")


# ---- texts: every number, every line
def text_edits(text, least_line=0):
    """(name, edited text): each number of each line by each value, each line missing and twice."""
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines[least_line:], least_line):
        def whole(new):
            return "".join(lines[:i] + [new] + lines[i + 1:])
        where = f"line {i + 1}"
        if len(lines) > 1 and line.strip():
            yield f"{where} missing", whole("")
            yield f"{where} twice", whole(line + line)
        for m in NUMBER.finditer(line):
            for value in VALUES:
                yield f"{where}:{m.start() + 1} {value}", whole(line[:m.start()] + value + line[m.end():])


# ---- JSON: every field, the elements of a list taken as one
RAW = re.compile(r'"RAW<(.*?)>"')


def json_edits(text):
    """(name, function that makes the edited text): each field that is or holds a number by each value,
    each field missing, twice and null, each list empty, shorter, longer and turned round. Fields of one
    name below one name are one."""
    document = json.loads(text)
    seen = set()

    def change(path, edit, *value):
        new = copy.deepcopy(document)
        at = new
        for key in path[:-1]:
            at = at[key]
        edit(at, path[-1], *value)
        return RAW.sub(r"\1", json.dumps(new, indent=1, ensure_ascii=False)).replace("<TWICE>", "")

    def put(at, key, value):
        at[key] = value

    def drop(at, key):
        del at[key]

    def double(at, key):
        at[key + "<TWICE>"] = at[key]

    def leaf(node, path, name):
        if isinstance(node, (int, float)) and not isinstance(node, bool):
            for value in VALUES:
                yield f"{name} {value}", put, f"RAW<{value}>"
        elif isinstance(node, str) and (m := NUMBER.search(node)):
            for value in VALUES:
                yield f"{name} '{value}'", put, node[:m.start()] + value + node[m.end():]
        elif isinstance(node, list) and node:
            yield f"{name} empty", put, []
            yield f"{name} shorter", put, node[:-1]
            yield f"{name} longer", put, node + node[:1]
            yield f"{name} turned round", put, node[::-1]
        if isinstance(path[-1], str):
            yield f"{name} null", put, None
            yield f"{name} missing", drop
            yield f"{name} twice", double

    def walk(node, path, name):
        short = tuple(re.findall(r"[^.]+", name)[-2:])
        if path and short not in seen:
            seen.add(short)
            for edit, *how in leaf(node, path, name):
                yield edit, functools.partial(change, path, *how)
        children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in children:
            yield from walk(child, path + [key], f"{name}[]" if isinstance(key, int) else f"{name}.{key}")

    yield from walk(document, [], "")


# ---- recordings: families of series [head, times, values], numbers as text
def read_recording(path, drop="$^", sets=2, step=1, first="$^"):
    """{family: [series]} of every `step`th scrape: at most `sets` label sets a
    metric, those that match `first` before others; without families that match `drop`."""
    families, series = {}, []
    with gzip.open(path, "rt") as f:
        for line in f:
            if line.startswith("# TYPE"):
                series = families.setdefault(line.split()[2], [])
            elif line[0] != "#":
                head, value, time = line.split("# {")[0].rstrip().rsplit(" ", 2)
                if not series or series[-1][0] != head:
                    series.append([head, [], []])
                series[-1][1].append(time)
                series[-1][2].append(value)
    chosen = {}
    for name, all_series in families.items():
        if re.match(drop, name):
            continue
        kept = {}
        for s in sorted(all_series, key=lambda s: not re.search(first, s[0])):
            key = LE.sub("", PART.sub("", s[0].split("{")[0]) + s[0][s[0].find("{"):])
            if key in kept or len(kept) < sets or "extension_point" in name:
                kept.setdefault(key, []).append([s[0], s[1][::step], s[2][::step]])
        chosen[name] = [s for group in kept.values() for s in group]
    return chosen


def every_series(families, family, edit):
    """A copy in which `edit`(series) -> list of series was done to each of one family."""
    return {**families, family: [new for s in families[family] for new in edit(s)]}


# Which samples of a series are lied about.
SAMPLES = (lambda i, n: True, lambda i, n: 2 * i >= n, lambda i, n: i % 3 == 2, lambda i, n: i == n - 1)
PARTS = ("", "_sum", "_count", "_bucket")


def is_part(s, part):
    return s[0].split("{")[0].endswith(part)


def lie(part, column, value, which):
    """`value` for some times (column 1) or values (2) of a part."""
    def edit(s):
        if not is_part(s, part):
            return [s]
        new = list(s)
        new[column] = [value if which(i, len(s[2])) else x for i, x in enumerate(s[column])]
        return [new]
    return edit


def rebound(change):
    """Bounds that are not +Inf become change(bound), or stay where that is None."""
    def edit(s):
        return [[LE.sub(lambda m: m[0] if m[2] == "+Inf" else f'{m[1]}{change(m[2]) or m[2]}"', s[0]), *s[1:]]]
    return edit


def change_bounds(s):
    """Other bounds from the middle on."""
    half = len(s[1]) // 2
    other = rebound(lambda bound: repr(float(bound) * 1.7))(s)[0][0]
    return [[s[0], s[1][:half], s[2][:half]], [other, s[1][half:], s[2][half:]]]


def recording_edits(families):
    """(name, function that makes the edited families): each family's values, times and bounds by each
    value, missing, alone, twice, falling, unequal."""
    turn = 0
    for family, series in families.items():
        parts = [p for p in PARTS if any(is_part(s, p) for s in series)]
        todo = []
        for value in VALUES:
            for part in parts:
                turn += 1
                which = turn % len(SAMPLES)
                todo.append((f"{part} {value} ({which})", lie(part, 2, value, SAMPLES[which])))
            todo.append((f" time {value}", lie("", 1, value, SAMPLES[turn % len(SAMPLES)])))
            if "_bucket" in parts:
                todo.append((f" bound {value}", rebound(lambda b, value=value: value if len(b) % 2 else None)))
        todo += [(f"{part} missing", lambda s, part=part: [] if is_part(s, part) else [s]) for part in parts]
        todo += [(" twice", lambda s: [s, s]), (" falls", lambda s: [[s[0], s[1], s[2][::-1]]]),
                 (" unequal", lambda s: [[s[0], s[1][len(s[0]) % 7::2], s[2][len(s[0]) % 7::2]]])]
        if "_bucket" in parts:
            todo += [(" bounds change", change_bounds),
                     (" without +Inf", lambda s: [] if 'le="+Inf"' in s[0] else [s])]
        for name, edit in todo:
            yield family + name, functools.partial(every_series, families, family, edit)
        yield f"{family} alone", lambda family=family, series=series: {family: series}


# ---- a recording in every format that is read
def labels(head):
    name, _, rest = head.partition("{")
    return {"__name__": name, **dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', rest))}


def as_openmetrics(families):
    out = []
    for family, series in families.items():
        kind = "histogram" if any("_bucket" in s[0] for s in series) else "unknown"
        out.append(f"# TYPE {family} {kind}\n")
        out += [f"{s[0]} {v} {t}\n" for s in series for t, v in zip(s[1], s[2])]
    return "".join(out) + "# EOF\n"


def milliseconds(time):
    return str(round(float(time) * 1000)) if NUMBER.fullmatch(time) and abs(float(time)) < 1e12 else time


def as_dump(families):
    return "".join(
        "{%s} %s %s\n" % (", ".join(f'{k}="{x}"' for k, x in labels(s[0]).items()), v, milliseconds(t))
        for series in families.values() for s in series for t, v in zip(s[1], s[2]))


def as_answer(families):
    rows = ",\n".join(
        '{"metric":%s,"values":[%s]}' % (
            json.dumps(labels(s[0])), ",".join(f'[{t},"{v}"]' for t, v in zip(s[1], s[2])))
        for series in families.values() for s in series)
    return '{"status":"success","data":{"resultType":"matrix","result":[\n%s]}}\n' % rows


def as_export(families):
    return "".join(
        '{"metric":%s,"values":[%s],"timestamps":[%s]}\n' % (
            json.dumps(labels(s[0])), ",".join(s[2]), ",".join(map(milliseconds, s[1])))
        for series in families.values() for s in series)


def as_page(families, at):
    """What /metrics shows at one scrape."""
    out = ["# TYPE process_start_time_seconds gauge\n"]
    for series in families.values():
        out += [f"{s[0]} {s[2][at]}\n" for s in series if s[2]]
    return "".join(out)


FORMATS = {"openmetrics": as_openmetrics, "dump": as_dump, "answer": as_answer, "export": as_export}
