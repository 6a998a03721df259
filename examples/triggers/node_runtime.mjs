// Runs a Lambda handler written in JavaScript as a trigger's function.
//
//     node node_runtime.mjs ./audit_file.mjs
//
// The module exports `handler`. The protocol is a line of JSON each way: an event on standard input, the answer on standard
// output. What the handler logs goes to standard error, where the server's log is. An error becomes {errorType, errorMessage}.

import { Console } from "node:console";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { pathToFileURL } from "node:url";

globalThis.console = new Console(process.stderr, process.stderr);
const { handler } = await import(pathToFileURL(path.resolve(process.argv[2])));

async function answerTo(line) {
  try {
    const context = { functionName: process.env.AWS_LAMBDA_FUNCTION_NAME ?? "function", awsRequestId: randomUUID() };
    return JSON.stringify((await handler(JSON.parse(line), context)) ?? null);
  } catch (error) {
    console.error(error);
    return JSON.stringify({ errorType: error?.name ?? "Error", errorMessage: String(error?.message ?? error) });
  }
}

// Not node:readline, which also ends a line at U+2028, and that may stand inside a JSON string.
let pieces = [];
for await (let chunk of process.stdin) {
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
    pieces.push(chunk.subarray(0, end));
    const line = Buffer.concat(pieces).toString("utf8");
    pieces = [];
    chunk = chunk.subarray(end + 1);
    process.stdout.write((await answerTo(line)) + "\n");
  }
  if (chunk.length > 0) pieces.push(chunk);
}
