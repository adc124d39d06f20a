// Requests through the application's own DynamoDBClient: its credentials, signer, endpoint, retries, middleware and metrics.
//
// A command of the SDK carries each request, so that everything that looks at commands sees what is sent. Its body is the
// core's text instead of what the SDK would make of its input, and the answer goes to the core as it came.

import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { AccessDenied, WrongCredentials } from "./errors.js";

const COMMANDS = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactGetItems: TransactGetItemsCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};

const CREDENTIALS =
  /Credential|UnrecognizedClient|InvalidSignature|IncompleteSignature|ExpiredToken|InvalidClientTokenId|MissingAuthenticationToken/;

const EMPTY = new TextEncoder().encode("{}");
const encoder = new TextEncoder();

/** The state of a command of this package, under a name that no input has. */
const STATE = Symbol("sortkey");

const replaced = (next) => (args) => {
  const { text } = args.input[STATE];
  args.request.body = text;
  args.request.headers["content-length"] = String(text.length);
  return next(args);
};

const captured = (next) => async (args) => {
  const state = args.input[STATE];
  // Of several attempts the last one counts, also if it has no answer.
  state.answer = undefined;
  const result = await next(args);
  const { response } = result;
  state.answer = { status: response.statusCode, body: await collected(response.body) };
  // The SDK reads errors, since they decide about retries, and nothing of an answer.
  response.body = state.answer.status === 200 ? EMPTY : state.answer.body;
  return result;
};

/** The middleware of an operation's commands: added once, not for each request. */
const stacks = new Map();

function stackOf(operation) {
  let stack = stacks.get(operation);
  if (!stack) {
    ({ middlewareStack: stack } = new COMMANDS[operation]({}));
    stack.add(replaced, { step: "build", priority: "high", name: "sortkeyRequest" });
    stack.add(captured, { step: "deserialize", priority: "low", name: "sortkeyAnswer" });
    stacks.set(operation, stack);
  }
  return stack;
}

/** Sends requests with a client of the AWS SDK: `{ status, body }`, or an error where there is no answer. */
export function overSdk(client) {
  return async (operation, body, signal) => {
    const state = { text: encoder.encode(JSON.stringify(body)), answer: undefined };
    // The members on which the endpoint of an account depends. The rest of the input would only be serialised in vain.
    const input = body.TableName === undefined ? { RequestItems: {}, TransactItems: [] } : { TableName: body.TableName };
    const command = new COMMANDS[operation]({ ...input, [STATE]: state });
    command.middlewareStack = stackOf(operation);
    try {
      await client.send(command, signal ? { abortSignal: signal } : undefined);
    } catch (cause) {
      if (CREDENTIALS.test(cause?.name ?? "")) {
        throw new WrongCredentials(`DynamoDB does not accept the credentials: ${cause.message}`, { cause });
      }
      if (/^AccessDenied/.test(cause?.name ?? "")) {
        throw new AccessDenied(`the policy of the credentials does not allow this request: ${cause.message}`, { cause });
      }
      if (!state.answer || state.answer.status === 200) {
        throw cause;
      }
    }
    return state.answer;
  };
}

/** The bytes of a body: a stream of Node, of the web, or bytes already. */
async function collected(body) {
  if (body === undefined || body === null) {
    return new Uint8Array();
  }
  if (typeof body === "string") {
    return encoder.encode(body);
  }
  if (body instanceof Uint8Array) {
    return body;
  }
  if (typeof body.arrayBuffer === "function") {
    return new Uint8Array(await body.arrayBuffer());
  }
  const chunks = [];
  for await (const chunk of body) {
    chunks.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  }
  if (chunks.length === 1) {
    return chunks[0];
  }
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
