"""Reads the audit log of a server while it writes."""

import hashlib
import hmac
import json
import pathlib

from harness.waiting import wait_until

HIDDEN = "HIDDEN_DUE_TO_SECURITY_REASONS"


class AuditLog:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def files(self):
        return sorted(self.directory.glob("audit-*.jsonl")) + [self.directory / "audit.jsonl"]

    def text(self):
        return "".join(path.read_text() for path in self.files())

    def records(self):
        """All events of whole lines, the oldest first."""
        text = self.text()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def find(self, name, **members):
        """The last event of that name with these members, once it is written."""
        def found():
            return next((event for event in reversed(self.records())
                         if event["eventName"] == name and all(event.get(key) == value for key, value in members.items())), None)
        return wait_until(found, problem=f"no event {name} {members}")

    def hash_of(self, table_arn, key):
        """As docs/operations.md says, made without the server's help."""
        secret = (self.directory / "hash.key").read_text()
        text = table_arn + "\n" + json.dumps(key, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return "hmac-sha256:" + hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
