"""Pages of one large partition."""

import statistics

from measure import MILLION


def measure(run):
    """Pages in one partition of a million items: by place and direction, just loaded and again."""
    shape = ("--partition-items", str(MILLION))
    start, middle, end = (("query-100", place) for place in ("start", "middle", "end"))
    reverse_middle, reverse_end = (("query-100-reverse", place) for place in ("middle", "end"))
    names = {start: "start of 1 M", middle: "middle", end: "end", reverse_middle: "middle, reverse", reverse_end: "end, reverse"}
    bars = {middle: (start, 1.2), end: (start, 1.2), reverse_middle: (middle, 1.3), reverse_end: (end, 1.3)}
    looks = []
    with run.armature("partition") as armature:
        run.load_million(armature, *shape)
        for _ in range(1 + run.options.rounds):
            looks.append({page: run.drive(armature, page[0], items=MILLION, extra=(*shape, "--where", page[1]))
                         ["server_cpu_us_per_request"] for page in names})
    for when, rounds in (("just loaded", looks[:1]), ("again", looks[1:])):
        for page, name in names.items():
            against, bar = bars.get(page, (None, None))
            run.table.add(f"Page of 100: {name}, {when}", statistics.median(r[page] for r in rounds), "µs",
                          against and f"{names[against]} {statistics.median(r[against] for r in rounds):.2f} µs",
                          against and statistics.median(r[page] / r[against] for r in rounds), bar)
