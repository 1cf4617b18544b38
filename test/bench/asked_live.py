"""The questions that a command asks of a started Prometheus, and curl asking the same."""

import gzip
import itertools
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse
import urllib.request
from datetime import datetime

import paired


def window_of(openmetrics):
    """Window and baseline as options: those that the file's own diagnosis finds."""
    found = json.loads(subprocess.run(
        [paired.SCHEDLENS, "diagnose", "--capture", openmetrics, "--no-cross-check", "-o", "json"],
        stdout=subprocess.PIPE, check=True).stdout)
    window, baseline = found["window"], found.get("baseline")
    options = ["--start", f"{window['start']:.3f}", "--end", f"{window['end']:.3f}"]
    if baseline:
        options += ["--baseline", f"{baseline['start']:.3f}/{baseline['end']:.3f}"]
    return options


def later(options, seconds):
    """Window and baseline so many seconds later."""
    return [re.sub(r"\d+\.\d+", lambda at: f"{float(at[0]) + seconds:.3f}", word) for word in options]


DAY = 86400  # seconds


def repeat(openmetrics, out_path, every, length=DAY):
    """The recording again and again until it is `length` seconds long: of its scrapes one each
    `every` seconds, and a counter goes on from where it was. Returns begin, end, and the last
    round's distance from the first."""
    with open(openmetrics) as file:
        times = {float(line.rsplit(None, 1)[1]) for line in file if not line.startswith("#")}
    begin, end = min(times), max(times)
    rounds = int(length // (end - begin + every)) + 1
    counters = re.compile(r"_(total|sum|count|bucket)(\{| )")
    with open(openmetrics) as file, open(out_path, "w") as out:
        for name, lines in itertools.groupby(file, lambda line: line.rsplit(None, 2)[0]):
            if name.startswith("#"):
                out.writelines(lines)
                continue
            samples, next_at = [], begin
            for line in lines:
                value, at = map(float, line.rsplit(None, 2)[1:])
                if at >= next_at:
                    samples.append((value, at))
                    next_at = at + every - 0.5
            grown = samples[-1][0] - samples[0][0] if counters.search(name) else 0
            for i in range(rounds):
                out.writelines(f"{name} {value + i * grown:.16g} {at + i * (end - begin + every):.3f}\n"
                               for value, at in samples)
    last = (rounds - 1) * (end - begin + every)
    return begin, end + last, last


def log_questions(url, pid, work, on):
    """The server writes down, or no longer, what it is asked."""
    log = os.path.join(work, "questions")
    with open(os.path.join(work, "prometheus.yml"), "w") as file:
        file.write(f"global: {{query_log_file: {log}}}\n" if on else "global: {}\n")
    os.kill(pid, signal.SIGHUP)
    while ("query_log_file" in fetch(f"{url}/api/v1/status/config").decode()) != on:
        time.sleep(0.05)
    return log


def questions_of(command, url, pid, work):
    """URL by URL in the order of their ends, whatever else the command does."""
    log = log_questions(url, pid, work, True)
    paired.run(command)
    log_questions(url, pid, work, False)
    urls = []
    with open(log) as file:
        for line in file:
            params = json.loads(line)["params"]
            start, end = (datetime.fromisoformat(params[k].replace("Z", "+00:00")).timestamp()
                          for k in ("start", "end"))
            form = {"query": params["query"]}
            if params["step"] == 0:
                form["time"] = f"{end:.3f}"
            else:
                form.update(start=f"{start:.3f}", end=f"{end:.3f}", step=params["step"])
            path = "query_range" if params["step"] else "query"
            urls.append(f"{url}/api/v1/{path}?{urllib.parse.urlencode(form)}")
    os.remove(log)
    return urls


def curl(urls, work):
    """Asks all, one after another over one connection; the answers are thrown away."""
    config = os.path.join(work, "curl")
    with open(config, "w") as file:
        for url in urls:
            file.write(f'url = "{url}"\noutput = "/dev/null"\n')
    return ["curl", "-f", "--no-progress-meter", "--noproxy", "*", "--compressed",
            "--config", config]


def fetch(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})) as answer:
        body = answer.read()
        return gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body


def print_longest(urls, most=12):
    """Each question by itself: what the server takes and sends."""
    rows = []
    for url in urls:
        begin = time.perf_counter()
        body = fetch(url)
        took = (time.perf_counter() - begin) * 1e3
        series = json.loads(body)["data"]["result"]
        samples = sum(len(one.get("values", [0])) for one in series) if type(series) is list else 1
        query = urllib.parse.parse_qs(urllib.parse.urlparse(url).query)["query"][0]
        rows.append((took, len(body) / 1024, len(series), samples, query))
    print(f"{len(rows)} questions, {sum(row[1] for row in rows):.0f} KiB, "
          f"{sum(row[3] for row in rows)} samples\n{'ms':>6} {'KiB':>6} {'series':>6} samples")
    for took, size, series, samples, query in sorted(rows, reverse=True)[:most]:
        print(f"{took:6.1f} {size:6.0f} {series:6} {samples:7}  {' '.join(query.split())[:100]}")
