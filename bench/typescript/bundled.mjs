import { people } from "./out/people/index.js";

const send = async () => ({ status: 200, body: "{}" });
const db = people({ client: { send }, send });
console.log((await db.getPerson("a", "per_0000000000000000")) === undefined ? "runs" : "does not");
