// Every operation by the AWS SDK for JavaScript v3, in one process with one server.
//
// Set SORTKEY_E2E_ENDPOINT to run the same tests against another DynamoDB; otherwise the binary in SORTKEY_BIN (or the
// newest one under target/) is started on a free port.

import { after } from "node:test";
import { stop } from "./server.js";

import "./suite/tables.js";
import "./suite/items.js";
import "./suite/reads.js";
import "./suite/batches.js";
import "./suite/transactions.js";
import "./suite/statements.js";
import "./suite/streams.js";
import "./suite/expiry.js";
import "./suite/settings.js";
import "./suite/backups.js";
import "./suite/errors.js";
import "./suite/signatures.js";
import "./suite/aids.js";
import "./suite/coverage.js";

after(stop);
