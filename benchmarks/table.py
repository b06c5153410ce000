"""The comparison: which measurement is compared with which peer, limit and target."""

UNITS = {"normals/s": (1e6, "M/s"), "rows/s": (1, "rows/s"), "requests/s": (1, "requests/s"), "bytes/s": (1e6, "MB/s"), "bytes": (1e6, "MB"), "bytes each": (1, "bytes"),
         "seconds": (1e-3, "ms"), "ratio": (1, "")}


def line(what, ours, unit, numpy=None, limit=None, target=None):
    """`target` is (text, does it hold?) or None where nothing was promised."""
    entry = {"what": what, "unit": unit, "ours": ours, "numpy": numpy, "limit": limit}
    entry["times_numpy"] = ours / numpy if numpy else None
    entry["of_limit"] = ours / limit if limit else None
    entry["target"], entry["verdict"] = "", ""
    if target:
        entry["target"], holds = target
        entry["verdict"] = "PASS" if holds(entry) else "MISS"
    return entry


def times_numpy(least):
    return f">= {least}x numpy", lambda entry: entry["times_numpy"] >= least


def of_limit(least):
    return f">= {least:.0%} of limit", lambda entry: entry["of_limit"] >= least


def at_least(least, text):
    return f">= {text}", lambda entry: entry["ours"] >= least


def below(most, text):
    return f"< {text}", lambda entry: entry["ours"] < most


def lines_of(ours, peers):
    value = lambda *path: _dig(ours, path)["value"]
    peer = lambda *path: _dig(peers, path)["value"]
    keystream = value("sampler", "keystream_limit")
    wide_normals = 1000 + 1000 * 1001 // 2
    one, two = value("wide", "one_thread"), value("wide", "two_threads")
    identity = peer("wide", "identity")
    lines = [
        line("normals rounded to the lattice", value("sampler", "fill_rounded"), "normals/s",
             peer("sampler", "standard_normal"), keystream, times_numpy(3)),
        line("  and shaped by scaled-blt:4, 500,500 wide", value("sampler", "scaled_blt_noise"), "normals/s",
             peer("sampler", "standard_normal"), keystream),
        line("d = 1000, every row", one, "rows/s", identity, keystream / wide_normals, times_numpy(6)),
        line("  | limit: memory pass over the same state", one, "rows/s", None, value("wide", "one_thread_memory")),
        line("  two threads", two, "rows/s", identity, 2 * keystream / wide_normals, times_numpy(10)),
        line("  | limit: memory pass, two threads", two, "rows/s", None, value("wide", "two_threads_memory")),
        line("d = 100, n = 1000 | numpy: square root, streamed", value("middle", "rows"), "rows/s",
             peer("middle", "square_root_stream"), None, times_numpy(100)),
        line("  | numpy: square root, all noise in advance", value("middle", "rows"), "rows/s",
             peer("middle", "square_root_at_once")),
        line("  | numpy: identity", value("middle", "rows"), "rows/s", peer("middle", "identity")),
        line("d = 10, every row, n = 1e6", value("long", "rows"), "rows/s", peer("long", "identity"), None,
             at_least(1e6, "1 M rows/s")),
        line("  rows/s in the last tenth over the first", ours["long"]["last_over_first_tenth"], "ratio", None, None,
             ("0.9 to 1.1", lambda entry: 0.9 <= entry["ours"] <= 1.1)),
    ]
    for what, section in (("peak memory, d = 1000", "wide_memory"), ("peak memory, d = 10, n = 1e6", "long_memory")):
        memory = ours[section]
        lines.append(line(what, memory["peak_bytes"], "bytes", None, memory["allowed_bytes"],
                          ("<= limit", lambda entry: entry["ours"] <= entry["limit"])))
    people = ours["people"]
    lines += [
        line(f"rows per person limited, {people['people']:.0e} people | limit: no limit", people["rows_per_second"], "rows/s",
             None, people["rows_per_second_without"]),
        line("  memory of a person", people["table_bytes_per_person"], "bytes each", None, 28,
             ("<= limit", lambda entry: entry["ours"] <= entry["limit"])),
    ]
    rank = max(value("block", "rank_256"), value("block", "rank_1000"))
    small_rank = max(value("bulk", "rank_256"), value("bulk", "rank_1000"))
    lines += [
        line("d = 1000, every 1000 rows | limit: dsyrk", value("block", "rows"), "rows/s", peer("block", "rows"), rank,
             of_limit(0.5)),
        line("  two threads", value("block", "two_threads"), "rows/s", peer("block", "rows"), 2 * rank),
        line("d = 10, every 1000 rows, push_rows | limit: dsyrk", value("bulk", "rows"), "rows/s", None, small_rank,
             ("> 3x push", lambda entry: entry["ours"] >= 3 * value("bulk", "single"))),
        line("  the same, push row by row", value("bulk", "single"), "rows/s", None, small_rank),
        line("  the same, BlockSum alone", value("bulk", "block_sum"), "rows/s", None, small_rank),
        line("CSV, six columns | limit: page cache", value("ingest", "read"), "bytes/s", peer("ingest", "loadtxt"),
             value("ingest", "bytes_limit"), at_least(150e6, "150 MB/s")),
        line("  jme run --every 1000 on it", value("run", "bytes"), "bytes/s"),
        line("  the same in rows", value("run", "rows"), "rows/s"),
        line("  with --state | limit: without", value("durable", "rows"), "rows/s", None, value("durable", "without"),
             of_limit(0.5)),
    ]
    lines += shape_lines(ours["shape"])
    for workload, seconds in ours["shape"]["auto_seconds"].items():
        lines.append(line(f"shape auto, {workload}, n = 1e6", seconds, "seconds", None, None, below(0.05, "50 ms")))
    lines += start_lines(ours["start"])
    lines += unbounded_lines(ours["unbounded"])
    lines += python_lines(ours["python"], value("bulk", "million"))
    return lines


def at_most(most, text):
    return f"<= {text}", lambda entry: entry["ours"] <= most


def shape_lines(shape):
    """Errors divided by a proven lower bound on the error of every shape."""
    names = {"scaled_blt_4": "scaled-blt:4", "auto": "auto", "certified": "scaled-blt:4"}
    most = {"scaled_blt_4": 1.001, "auto": 1.01, "certified": 1.002}
    lines = [line(f"{names[kind]} rmse / optimum, {workload}, n = {steps}", ratio, "ratio", None, None,
                  at_most(most[kind], str(most[kind])))
             for kind, by_workload in shape["rmse_over_optimum"].items()
             for workload, by_steps in by_workload.items() for steps, ratio in by_steps.items()]
    lines.append(line("scaled-blt:5 rmse, prefix, n = 1e6", shape["rmse_million"], "ratio", None, None,
                      at_most(5.15, "5.15")))
    return lines


def start_lines(start):
    """What has to be computed before the first row."""
    targets = {"stream_seconds": ("stream made", below(0.1, "100 ms")), "plan_seconds": ("plan", below(0.3, "300 ms"))}
    return [line(f"{what}, {workload}, d = 10, n = 1e6", seconds, "seconds", None, None, target)
            for key, (what, target) in targets.items() for workload, seconds in start[key].items()]


def python_lines(python, cpp):
    """The package beside C++ (the limit) and beside a running covariance in numpy that protects nobody."""
    numpy = python["numpy"]["value"]
    rows = lambda what, name, target=None: line(what, python[name]["value"], "rows/s", numpy, cpp, target)
    return [rows("Python: push of 1e6 x 10, every 1000 rows | limit: C++, numpy: no privacy", "bulk", of_limit(0.85)),
            rows("  an Arrow table", "arrow", of_limit(0.75)),
            rows("  float32", "float32"),
            rows("  with bounds", "bounds"),
            line("  one row a call, a tuple", python["row_tuple_seconds"], "seconds", None, None, below(1e-6, "1 us")),
            line("  one row a call, an array", python["row_array_seconds"], "seconds", None, None, below(1e-6, "1 us")),
            line("  peak memory beside the input", python["peak_bytes"], "bytes", None, 64e6,
                 ("<= limit", lambda entry: entry["ours"] <= entry["limit"]))]


def unbounded_lines(unbounded):
    return [line("unbounded, decay:0.9, largest error / infinite optimum", unbounded["decay_0.9"], "ratio", None, None,
                 at_most(1.0001, "1.0001")),
            line("unbounded, decay:0.999, largest error / infinite optimum", unbounded["decay_0.999"], "ratio", None,
                 None, at_most(1.001, "1.001")),
            line("unbounded, mean, rmse / optimum, worst of n = 100..4096", unbounded["mean"], "ratio", None, None,
                 at_most(1.005, "1.005")),
            line("unbounded, prefix, error / known horizon's, worst to 1e6", unbounded["prefix"], "ratio", None, None,
                 at_most(1.35, "1.35"))]


def _dig(tree, path):
    for name in path:
        tree = tree[name]
    return tree


def shown(number, unit):
    if number is None:
        return ""
    scale, name = UNITS[unit]
    number /= scale
    if unit == "seconds" and number < 0.01:
        number, name = 1e3 * number, "us"
    digits = 4 if unit == "ratio" else 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:,.{digits}f} {name}".rstrip()


def grid(lines):
    """The table itself, as lines of text, and how many targets were met."""
    head = ["what", "ours", "numpy", "ratio", "limit", "of limit", "target", ""]
    rows = [[entry["what"], shown(entry["ours"], entry["unit"]), shown(entry["numpy"], entry["unit"]),
             f"{entry['times_numpy']:.3g}x" if entry["times_numpy"] else "", shown(entry["limit"], entry["unit"]),
             f"{entry['of_limit']:.0%}" if entry["of_limit"] else "", entry["target"], entry["verdict"]]
            for entry in lines]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    left = {0, 6, 7}
    text = []
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) if i in left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        text.append("  ".join(cells).rstrip())
    judged = [entry["verdict"] for entry in lines if entry["verdict"]]
    return text, f"{judged.count('PASS')} of {len(judged)} targets met. Medians; ratio = ours / numpy."


def printed(lines, facts):
    rows, met = grid(lines)
    text = [f"{facts['processor']}, {facts['cores']} cores, {facts['date']}, one thread unless said otherwise "
            f"(OPENBLAS_NUM_THREADS=1 on both sides), {facts['seconds']:.0f} s", "", *rows, "",
            f"{met} The limit of noise is OpenSSL's AES-256-CTR at 8 bytes per normal."]
    busy = [f"{what} {share:.0%}" for what, share in facts["core_shares"].items() if share < 0.9]
    if busy:
        text += ["The machine was busy: a program should have a core to itself, and these had a share only: "
                 + ", ".join(busy) + ". One thread is timed by processor time, which hardly minds; two threads and "
                 "jme run by the wall clock, which does."]
    return "\n".join(text)
