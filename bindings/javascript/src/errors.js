// The errors of calls. Every class has a `kind` of its own for a `switch`.

/** The base of all errors: of this package, and of the design that a client was generated from. */
export class SortkeyError extends Error {
  constructor(message, details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.field = details.field ?? undefined;
    this.faults = details.faults ?? [];
    this.call = details.call;
    this.consumed = details.consumed;
  }

  get name() {
    return this.kind ?? "SortkeyError";
  }
}

// `kind` is a field of each class, not of the base, so that it can be narrowed.
const kind = (name) =>
  ({
    [name]: class extends SortkeyError {
      kind = name;
    },
  })[name];

export const Invalid = kind("Invalid");
export const NotFound = kind("NotFound");
export const AlreadyExists = kind("AlreadyExists");
export const Conflict = kind("Conflict");
export const VersionDiffers = kind("VersionDiffers");
export const Forbidden = kind("Forbidden");
export const Unauthenticated = kind("Unauthenticated");
export const InvalidTransition = kind("InvalidTransition");
export const CheckFailed = kind("CheckFailed");
export const TooLarge = kind("TooLarge");
export const Unreadable = kind("Unreadable");
export const Throttled = kind("Throttled");
export const Unavailable = kind("Unavailable");
export const Internal = kind("Internal");
export const WrongDesign = kind("WrongDesign");
export const OldCore = kind("OldCore");
export const OldProgram = kind("OldProgram");
export const WrongCredentials = kind("WrongCredentials");
export const AccessDenied = kind("AccessDenied");

/** The network dropped: DynamoDB may or may not have done what it was asked. */
export class ConnectionLost extends SortkeyError {
  kind = "ConnectionLost";

  constructor(message, details = {}) {
    super(message, details);
    this.operation = details.operation;
    this.mayHaveHappened = details.mayHaveHappened ?? false;
  }
}

const OWN = {
  Invalid,
  NotFound,
  AlreadyExists,
  Conflict,
  VersionDiffers,
  Forbidden,
  Unauthenticated,
  InvalidTransition,
  CheckFailed,
  TooLarge,
  Unreadable,
  Throttled,
  Unavailable,
  Internal,
};

/** The error of a failure that the core reports; `declared` are the classes of the design. */
export function failureToError(failure, declared, details) {
  const Class = declared[failure.kind] ?? OWN[failure.kind] ?? Internal;
  return new Class(failure.message, { ...details, field: failure.field, faults: failure.faults });
}
