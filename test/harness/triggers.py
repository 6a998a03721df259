"""Functions for triggers under test: a handler that does as its records say and keeps a log, and an Invoke endpoint."""

import contextlib
import http.server
import json
import pathlib
import sys
import threading

import boto3

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "triggers"

# Logs every call, then obeys the first record whose new image asks for something. `once` asks only the first time.
HANDLER = '''
import json, os, time

def asked_before(record):
    mark = os.environ["LOG"] + "." + record["eventID"]
    if os.path.exists(mark):
        return True
    open(mark, "w").close()
    return False

def handler(event, context):
    with open(os.environ["LOG"], "a") as log:
        log.write(json.dumps(event) + "\\n")
    print("printing does no harm")
    for record in event["Records"]:
        image = record["dynamodb"].get("NewImage", {})
        wish = image.get("wish", {}).get("S")
        if not wish or ("once" in image and asked_before(record)):
            continue
        if wish == "report":
            return {"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]}
        if wish == "hang":
            time.sleep(1000)
        if wish == "die":
            os._exit(3)
        raise ValueError(wish)
    return {"batchItemFailures": []}
'''


def lambda_client(endpoint, region="us-east-1"):
    return boto3.client("lambda", endpoint_url=endpoint, region_name=region, aws_access_key_id="fake", aws_secret_access_key="fake")


class Log:
    """The calls a handler has had, from its file."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def events(self, table=None):
        if not self.path.exists():
            return []
        events = [json.loads(line) for line in self.path.read_text().split("\n")[:-1]]
        return [event for event in events if table is None or f":table/{table}/" in event["Records"][0]["eventSourceARN"]]

    def records(self, table=None):
        return [record for event in self.events(table) for record in event["Records"]]

    def names(self, table=None):
        """Per call, the partition keys of its records."""
        return [[record["dynamodb"]["Keys"]["pk"]["S"] for record in event["Records"]] for event in self.events(table)]


def python_function(directory, log, name, timeout=30, concurrency=10):
    """A function of the trigger file that runs HANDLER by the example's runtime."""
    (pathlib.Path(directory) / "obedient.py").write_text(HANDLER)
    return f'''
[function.{name}]
command = [{json.dumps(sys.executable)}, {json.dumps(str(EXAMPLES / "python_runtime.py"))}, "obedient.handler"]
timeout_seconds = {timeout}
concurrency = {concurrency}
environment = {{ LOG = {json.dumps(str(log))} }}
'''


@contextlib.contextmanager
def http_endpoint(answer=lambda path, body: (200, {}, {})):
    """An HTTP server that collects what is posted to it; `answer` gives status, headers and JSON."""
    posted = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            posted.append((self.path, body))
            status, headers, reply = answer(self.path, body)
            data = json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", posted
    finally:
        server.shutdown()
        server.server_close()
