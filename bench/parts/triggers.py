"""Whether triggers keep up."""

import statistics
import sys
import time

import servers


def measure(run):
    """Whether a trigger with batches of 100 and a handler that does nothing keeps up with all the puts there can be."""
    handler = run.work / "noop_handler.py"
    handler.write_text('import os, sys\nfor line in sys.stdin.buffer:\n    os.write(1, b"{}\\n")\n')
    server = servers.Armature(run.directory("triggers"), run.options.armature,
                             [*run.options.serve_arg, "--function", f"noop={sys.executable} {handler}"])
    with server as armature:
        def total(name):
            return sum(value for series, value in armature.metrics().items() if series.startswith(name))

        run.drive(armature, "put")  # makes the table
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        table = armature.call("/", {"TableName": "armature-bench", "StreamSpecification": stream}, "UpdateTable")["TableDescription"]
        without = run.drive(armature, "put")["throughput"]
        armature.call("/2015-03-31/event-source-mappings/", {
            "EventSourceArn": table["LatestStreamArn"], "FunctionName": "noop", "StartingPosition": "LATEST", "BatchSize": 100})
        rounds = []
        for _ in range(run.options.rounds):
            before, started = total("armature_trigger_records_total"), time.monotonic()
            puts = run.drive(armature, "put")["throughput"]
            at_end, seconds = total("armature_trigger_records_total"), time.monotonic() - started
            while total("armature_trigger_lag_records") > 0:
                time.sleep(0.01)
            everything = total("armature_trigger_records_total") - before
            rounds.append(((at_end - before) / seconds, puts, (at_end - before) / everything))
    puts = statistics.median(r[1] for r in rounds)
    run.table.add("Trigger, batch 100: records handled", statistics.median(r[0] for r in rounds), "/s",
                  f"share of {puts:,.0f} puts/s", statistics.median(r[2] for r in rounds), 0.97, at_least=True)
    run.table.add("PutItem with that trigger at work", puts, "/s", f"stream alone {without:,.0f}/s", puts / without)
