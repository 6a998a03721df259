"""Whether a server stayed as it was: what "flat" means for memory, descriptors, threads and latency.

Judged is the longest stretch without a restart, behind its first quarter (caches fill, pools grow). What is left is cut into six
windows; the last two must not be above the first two by more than a bound says. Medians and not means: one slow second
is no growth.
"""

import statistics

WARM_UP, WINDOWS = 0.25, 6

# What a measure may have grown by: a factor and something on top of it.
BOUNDS = {
    "memory_mib": (1.10, 8.0),
    "descriptors": (1.0, 10),
    "threads": (1.0, 2),
    "p50_ms": (1.5, 1.0),
    "p99_ms": (2.0, 10.0),
}
SAMPLED = ("memory_mib", "descriptors", "threads")


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def slope_per_hour(samples, measure):
    """Theil and Sen's: the median of the slopes between points half a series apart."""
    half = len(samples) // 2
    slopes = [(later[measure] - earlier[measure]) / (later["at"] - earlier["at"])
              for earlier, later in zip(samples, samples[half:]) if later["at"] > earlier["at"]]
    return 3600 * statistics.median(slopes) if slopes else 0.0


def longest_stretch(samples):
    """The samples of the process that lived longest; each sample has `at` (seconds) and `pid`."""
    by_process = {}
    for sample in samples:
        by_process.setdefault(sample["pid"], []).append(sample)
    return max(by_process.values(), key=lambda some: some[-1]["at"] - some[0]["at"])


def windows_of(samples, latencies):
    """[{measure: value}] per window. `latencies` are (at, milliseconds)."""
    begin, end = samples[0]["at"], samples[-1]["at"]
    begin += (end - begin) * WARM_UP
    length = (end - begin) / WINDOWS
    windows = []
    for number in range(WINDOWS):
        low, high = begin + number * length, begin + (number + 1) * length
        inside = [sample for sample in samples if low <= sample["at"] <= high]
        took = [millis for at, millis in latencies if low <= at <= high]
        if not inside or not took:
            raise ValueError(f"nothing was measured in window {number + 1}")
        windows.append({
            "memory_mib": statistics.median(sample["memory_mib"] for sample in inside),
            "descriptors": max(sample["descriptors"] for sample in inside),
            "threads": max(sample["threads"] for sample in inside),
            "p50_ms": percentile(took, 0.5),
            "p99_ms": percentile(took, 0.99),
            "requests": len(took),
        })
    return windows


def judge(samples, latencies, measures=tuple(BOUNDS)):
    """The report of a run: windows, growth per measure, and which of `measures` were not flat."""
    stretch = longest_stretch(samples)
    windows = windows_of(stretch, latencies)
    behind_warm_up = stretch[int(len(stretch) * WARM_UP):]
    report = {"seconds": stretch[-1]["at"] - stretch[0]["at"], "windows": windows, "measures": {}, "not_flat": []}
    for measure, (factor, more) in BOUNDS.items():
        early, late = (statistics.mean(window[measure] for window in some) for some in (windows[:2], windows[-2:]))
        entry = {"early": early, "late": late, "bound": early * factor + more}
        if measure in SAMPLED:
            entry["slope_per_hour"] = slope_per_hour(behind_warm_up, measure)
        report["measures"][measure] = entry
        if measure in measures and late > entry["bound"]:
            report["not_flat"].append(measure)
    return report


def table(report):
    """The report for people."""
    lines = [f"judged: {report['seconds']:.0f} s without a restart, in {len(report['windows'])} windows behind the warm-up", ""]
    names = [*BOUNDS, "requests"]
    lines.append("window  " + "".join(f"{name:>13}" for name in names))
    for number, window in enumerate(report["windows"], 1):
        lines.append(f"{number:>6}  " + "".join(f"{window[name]:>13.1f}" for name in names))
    lines.append("")
    for name, entry in report["measures"].items():
        slope = f", slope {entry['slope_per_hour']:+.2f} an hour" if "slope_per_hour" in entry else ""
        verdict = "NOT FLAT" if name in report["not_flat"] else "flat"
        lines.append(f"{name:<12} {entry['early']:.1f} -> {entry['late']:.1f} (bound {entry['bound']:.1f}{slope}): {verdict}")
    return "\n".join(lines)
