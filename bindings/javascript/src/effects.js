// Effects of a design outside of the database: HTTP requests, mails, and functions of the application by name.

import { fromBase64, toBase64 } from "./bytes.js";

/** How much of an answer's body a design sees. */
const MOST_BYTES = 64 * 1024;

/** Carries out an effect: the status and the body of the answer to the core. */
export async function performed({ name, timeoutMs, http, mail, jwt, live, channel, extern }, options) {
  if (http) {
    return [200, JSON.stringify(await requested(http, timeoutMs, options.fetch ?? globalThis.fetch))];
  }
  const handler = mail ? options.mail : options.handlers?.[name];
  if (live && !handler) {
    return [200, "{}"]; // An event that nobody follows.
  }
  if (!handler) {
    return [501, `nothing carries out the effect \`${name}\`: name a handler when the client is opened`];
  }
  const begin = Date.now();
  if (mail) {
    const error = await within(timeoutMs, handler(mail)).then(() => undefined, (error) => String(error?.message ?? error));
    return [200, JSON.stringify({ latencyMs: Date.now() - begin, error })];
  }
  const asked = within(timeoutMs, handler(extern, { jwt, live, channel }));
  if (jwt) {
    return asked.then((claims) => [200, JSON.stringify(claims)], (error) => [401, String(error?.message ?? error)]);
  }
  return [200, JSON.stringify((await asked) ?? {})];
}

async function requested({ method, url, headers, body }, timeoutMs, fetch) {
  const begin = Date.now();
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: method === "GET" || method === "HEAD" ? undefined : fromBase64(body),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = await beginning(response.body);
    return {
      status: response.status,
      headers: [...response.headers],
      body: toBase64(answer),
      latencyMs: Date.now() - begin,
    };
  } catch (error) {
    return { status: 0, headers: [], body: "", latencyMs: Date.now() - begin, error: String(error?.cause?.message ?? error.message) };
  }
}

async function beginning(stream) {
  const whole = new Uint8Array(MOST_BYTES);
  let length = 0;
  const reader = stream?.getReader();
  while (reader && length < MOST_BYTES) {
    const { done, value } = await reader.read();
    if (done) {
      return whole.subarray(0, length);
    }
    const part = value.subarray(0, MOST_BYTES - length);
    whole.set(part, length);
    length += part.length;
  }
  await reader?.cancel();
  return whole.subarray(0, length);
}

function within(timeoutMs, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
