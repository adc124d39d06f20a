// The interface in Ferryhook's document, as far as the corrected design keeps it. systems/ferryhook/CORRECTIONS.md lists every
// difference: null is undefined, ids are types, keys are whole, lists have pages, a write gives the item.

import type {
  ApiKey,
  ApiKeys,
  Attempt,
  Attempts,
  Connection,
  ConnectionChanges,
  ConnectionId,
  Connections,
  CreatedApiKey,
  Event,
  EventId,
  EventKey,
  Events,
  IngestInput,
  KeyId,
  NewApiKey,
  NewAttempt,
  NewConnection,
  NewSource,
  NewUser,
  Source,
  SourceChanges,
  SourceId,
  Sources,
  Usage,
  User,
  UserChanges,
  UserId,
  Users,
} from "../generated/ferryhook/index.js";
import type { Page } from "sortkey";

interface DocumentUsers {
  create(input: NewUser): Promise<User>;
  getById(userId: UserId): Promise<User | undefined>;
  getByEmail(email: string): Promise<User | undefined>;
  update(updates: UserChanges, userId: UserId): Promise<User>;
  incrementUsage(userId: UserId, count?: number): Promise<Usage>;
}

interface DocumentSources {
  create(input: NewSource): Promise<Source>;
  getById(sourceId: SourceId): Promise<Source | undefined>;
  listByUser(userId: UserId): Promise<Page<Source>>;
  update(sourceId: SourceId, updates: SourceChanges, userId: UserId): Promise<Source>;
  delete(sourceId: SourceId, userId: UserId): Promise<Source>;
}

interface DocumentConnections {
  create(input: NewConnection): Promise<Connection>;
  listBySource(sourceId: SourceId): Promise<Page<Connection>>;
  update(sourceId: SourceId, connectionId: ConnectionId, updates: ConnectionChanges): Promise<Connection>;
  delete(sourceId: SourceId, connectionId: ConnectionId): Promise<Connection>;
}

interface DocumentEvents {
  create(input: IngestInput): Promise<Event>;
  getById(eventId: EventId): Promise<Event | undefined>;
  listBySource(sourceId: SourceId, since?: number, until?: number): Promise<Page<Event>>;
  updateStatus(event: EventKey, status: Event["status"]): Promise<Event>;
}

interface DocumentAttempts {
  create(event: EventKey, input: NewAttempt, outcome: "delivered" | "retrying" | "failed"): Promise<Attempt | undefined>;
  listByEvent(eventId: EventId): Promise<Page<Attempt>>;
}

interface DocumentApiKeys {
  create(input: NewApiKey): Promise<CreatedApiKey>;
  getByHash(keyHash: string): Promise<ApiKey | undefined>;
  listByUser(userId: UserId): Promise<Page<ApiKey>>;
  delete(keyId: KeyId, userId: UserId): Promise<ApiKey>;
  updateLastUsed(userId: UserId, keyId: KeyId): Promise<ApiKey>;
}

// A function may take less than it is given, so the client's own functions can be used for those that the document asks for.
export const modules = (db: {
  users: Users;
  sources: Sources;
  connections: Connections;
  events: Events;
  attempts: Attempts;
  apiKeys: ApiKeys;
}) =>
  db satisfies {
    users: DocumentUsers;
    sources: DocumentSources;
    connections: DocumentConnections;
    events: DocumentEvents;
    attempts: DocumentAttempts;
    apiKeys: DocumentApiKeys;
  };
