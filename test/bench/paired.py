"""Two commands in turn, and how their times compare: what the scripts of this folder share.

One figure of one command says little on a machine that does other work too. Here every run of a
command stands beside a run of its anchor, and the ratio of each such pair counts.
"""

import contextlib
import gzip
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEDLENS = os.environ.get("SCHEDLENS", os.path.join(ROOT, "build/release/schedlens"))
BENCH = os.environ.get("BENCH", os.path.join(ROOT, "build/release/test/bench"))


@dataclass
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: int  # bytes


def runs(default):
    """How many pairs: the environment's RUNS, or the script's own number."""
    return int(os.environ.get("RUNS", default))


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing: build first, or test/setup all")


def run(command, stdout=subprocess.DEVNULL, codes=(0,)):
    """One whole process; ends the script where it fails."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        sys.exit(f"{' '.join(command)}\nended with {child.returncode}: {errors.decode()}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def in_turn(ours, anchor, pairs):
    """Pairs of what the two functions return, after one of each that does not count. Which of the
    two begins changes from pair to pair, so that a machine that slows down favours neither."""
    ours(), anchor()
    seen = []
    for i in range(pairs):
        if i % 2 == 0:
            first = ours()
            seen.append((first, anchor()))
        else:
            first = anchor()
            seen.append((ours(), first))
    return seen


def ratio_of(pairs, value):
    """"2.31 times (2.10 to 2.60)": median, minimum and maximum over the pairs of ours / anchor."""
    ratios = [value(ours) / value(anchor) for ours, anchor in pairs]
    return f"{statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f})"


def row(what, pairs, value, text, anchor):
    """One line: what was measured, both medians, the ratio and its spread."""
    ours, theirs = (statistics.median(value(pair[i]) for pair in pairs) for i in (0, 1))
    print(f"{what} {text(ours)}, {anchor} {text(theirs)}: {ratio_of(pairs, value)}, "
          f"{len(pairs)} pairs", flush=True)


def ms(seconds):
    return f"{seconds * 1e3:.1f} ms"


def wall(measured):
    return measured.wall


def cpu(measured):
    return measured.cpu


@contextlib.contextmanager
def unpacked(capture):
    """A folder of its own with the capture's text in it; ends with the block."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "capture.om")
        with open(capture, "rb") as packed:
            source = gzip.open(packed) if packed.read(2) == b"\x1f\x8b" else packed
            packed.seek(0)
            with open(path, "wb") as out:
                shutil.copyfileobj(source, out)
        yield work, path


@contextlib.contextmanager
def prometheus(openmetrics, work):
    """A started Prometheus with that file's samples: its URL and process number."""
    data = os.path.join(work, "data")
    # Promtool reads the whole file once a block: of a day it makes a few long ones.
    run(["promtool", "tsdb", "create-blocks-from", "--max-block-duration=54h", "openmetrics",
         openmetrics, data])
    with open(os.path.join(work, "prometheus.yml"), "w") as file:
        file.write("global: {}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with open(os.path.join(work, "log"), "w") as log:
        server = subprocess.Popen(
            ["prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={data}",
             "--storage.tsdb.retention.time=100y", f"--web.listen-address={address}",
             "--log.level=error"], stdout=log, stderr=log)
    try:
        while not is_ready(f"http://{address}"):
            if server.poll() is not None:
                sys.exit(open(os.path.join(work, "log")).read())
            time.sleep(0.05)
        yield f"http://{address}", server.pid
    finally:
        server.terminate()
        server.wait()


def is_ready(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return opener.open(f"{url}/-/ready").status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


def cpu_of(pid):
    """Seconds of CPU time that a running process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
