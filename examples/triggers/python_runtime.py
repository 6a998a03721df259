"""Runs a Lambda handler written in Python as a trigger's function.

    python3 python_runtime.py leaderboard.handler

The protocol is a line of JSON each way: an event on standard input, the answer on standard output. What the handler
prints goes to standard error, where the server's log is. An exception becomes {"errorType", "errorMessage"}, as in Lambda.
"""

import importlib
import json
import os
import sys
import traceback
import uuid


class Context:
    """What handlers use most of Lambda's context object."""

    def __init__(self):
        self.function_name = os.environ.get("AWS_LAMBDA_FUNCTION_NAME", "function")
        self.aws_request_id = str(uuid.uuid4())


def answer_to(handler, line):
    try:
        return json.dumps(handler(json.loads(line), Context()))
    except Exception as error:  # whatever it is, the caller is to know
        traceback.print_exc()
        return json.dumps({"errorType": type(error).__name__, "errorMessage": str(error)})


def main():
    module, function = sys.argv[1].rsplit(".", 1)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.path.insert(0, os.getcwd())
    handler = getattr(importlib.import_module(module), function)
    for line in sys.stdin.buffer:
        answers.write(answer_to(handler, line).encode() + b"\n")


if __name__ == "__main__":
    main()
