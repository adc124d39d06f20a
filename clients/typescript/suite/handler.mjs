// A handler as Lambda calls it: the client is opened when the module loads, a caller is named for each request.

import { ferryhook } from "../out/generated/ferryhook/index.js";

const begin = { at: performance.now(), cpu: process.cpuUsage() };
// Stands for a DynamoDBClient, so that the time is the package's own.
const client = { send: async () => Promise.reject(new Error("this handler sends nothing")) };
const send = async () => ({ status: 200, body: "{}" });
const db = ferryhook({ client, send });
const opened = db.ready().then(() => {
  const { user, system } = process.cpuUsage(begin.cpu);
  return { ms: Math.round(performance.now() - begin.at), cpuMs: Math.round((user + system) / 1000) };
});

export async function handler(event) {
  const { userId } = event.pathParameters;
  const user = await db.as({ userId, permission: "read" }).users.getById();
  return user ? { statusCode: 200, body: JSON.stringify(user) } : { statusCode: 404, cold: await opened };
}
