// Writes every change as a line to a file, once: a record that comes again is known by its eventID.
import { appendFileSync, existsSync, readFileSync } from "node:fs";

const file = process.env.AUDIT_FILE ?? "audit.jsonl";
const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
const seen = new Set(lines.map((line) => JSON.parse(line).id));

export async function handler(event) {
  const fresh = event.Records.filter((record) => !seen.has(record.eventID));
  const text = fresh.map((record) => JSON.stringify({
    id: record.eventID, event: record.eventName, keys: record.dynamodb.Keys, sequenceNumber: record.dynamodb.SequenceNumber,
  }) + "\n").join("");
  appendFileSync(file, text);
  for (const record of fresh) seen.add(record.eventID);
  console.log(`${fresh.length} of ${event.Records.length} records were new`);
}
