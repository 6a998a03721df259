// Amazon's DAX clients, unmodified, steered by another process (test/harness/dax.py). A line of JSON on standard input is a
// command, a line on standard output its outcome; commands run side by side, and `id` says which outcome is whose.
//
//     {"id", "do": "open", "client": NAME, "kind": KIND, "options": {"endpoint", …}}
//     {"id", "do": "call", "client": NAME, "operation", "params", "limit": milliseconds}
//     {"id", "do": "close", "client": NAME}
//
// KIND is v2 (amazon-dax-client) or v3 (@amazon-dax-sdk/client-dax), or plain-v2 and plain-v3: the same SDK's client of DynamoDB
// itself, at an http endpoint. Values are in wire form, binary ones in base64. The limit is the driver's: these clients have
// requests that never end (PROTOCOL.md §11), and a test wants to go on.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = "1";

const makers = {
  "v2": (options) => new (require("amazon-dax-client"))({ ...options, endpoint: undefined, endpoints: [options.endpoint] }),
  "v3": (options) => new (require("@amazon-dax-sdk/client-dax").Dax)(options),
  "plain-v2": (options) => new (require("aws-sdk").DynamoDB)({ maxRetries: 0, ...options }),
  "plain-v3": (options) => new (require("@aws-sdk/client-dynamodb").DynamoDB)({ maxAttempts: 1, ...options }),
};
const clients = new Map();

const isBinary = (value) => value instanceof Uint8Array;

// An attribute value is the only object that has nothing but "B" or "BS" with text below it.
function toClient(value) {
  if (Array.isArray(value)) return value.map(toClient);
  if (value === null || typeof value !== "object") return value;
  const names = Object.keys(value);
  if (names.length === 1 && typeof value.B === "string") return { B: Buffer.from(value.B, "base64") };
  if (names.length === 1 && Array.isArray(value.BS)) return { BS: value.BS.map((each) => Buffer.from(each, "base64")) };
  return Object.fromEntries(names.map((name) => [name, toClient(value[name])]));
}

function fromClient(value) {
  if (isBinary(value)) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(fromClient);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).filter((name) => name !== "$metadata").map((name) => [name, fromClient(value[name])]));
}

function outcomeOf(error) {
  const status = error.$metadata?.httpStatusCode ?? error.statusCode;
  const reasons = error.cancellationReasons ?? error.CancellationReasons;
  return {
    code: error.code ?? error.name, message: String(error.message), status, requestId: error.requestId ?? null,
    retryable: error.retryable, reasons: fromClient(reasons ?? null), item: fromClient(error.Item ?? null),
    stack: String(error.stack),
  };
}

function within(limit, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(`no answer in ${limit} ms`), { code: "DriverTimeout" })), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function call(client, operation, params) {
  const method = operation[0].toLowerCase() + operation.slice(1);
  const request = client[method](toClient(params));
  return fromClient((await (typeof request.promise === "function" ? request.promise() : request)) ?? null);
}

async function perform(command) {
  switch (command.do) {
    case "open":
      clients.set(command.client, makers[command.kind](command.options));
      return null;
    case "call":
      return within(command.limit, call(clients.get(command.client), command.operation, command.params));
    case "close": {
      const client = clients.get(command.client);
      clients.delete(command.client);
      (client.shutdown ?? client.destroy)?.call(client);
      return null;
    }
    default:
      throw new Error(`the driver cannot ${command.do}`);
  }
}

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

async function answer(line) {
  const command = JSON.parse(line);
  try {
    say({ id: command.id, result: await perform(command) });
  } catch (error) {
    say({ id: command.id, error: outcomeOf(error) });
  }
}

// What would have killed an application; the test decides whether the server is to blame.
process.on("uncaughtException", (error) => say({ uncaught: String(error.stack) }));
process.on("unhandledRejection", (error) => say({ uncaught: String(error?.stack ?? error) }));

let pieces = [];
process.stdin.on("data", (chunk) => {
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
    pieces.push(chunk.subarray(0, end));
    answer(Buffer.concat(pieces).toString("utf8"));
    pieces = [];
    chunk = chunk.subarray(end + 1);
  }
  if (chunk.length > 0) pieces.push(chunk);
});
process.stdin.on("end", () => process.exit(0));
