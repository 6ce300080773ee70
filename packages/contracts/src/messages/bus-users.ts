/**
 * The users of the bus: one NATS user for each service, with the same name as the service's process. The gateway's
 * processes are four, since they are trusted with different things: each has one listener.
 */

export const GATEWAY_LISTENERS = [
  "gateway-merchant",
  "gateway-operator",
  "gateway-public",
  "gateway-staff",
] as const;
export type GatewayListener = (typeof GATEWAY_LISTENERS)[number];

/** The user that makes and changes the event stream and its consumers, and sends nothing else. Only jobs sign in with it. */
export const INSTALLATION = "installation";

/** The user of a process that always runs: it makes a lost stream again and may change none. */
export const STREAM_KEEPER = "stream-keeper";

export const BUS_USERS = [
  ...GATEWAY_LISTENERS,
  "payments",
  "refunds",
  "webhook-dispatcher",
  "settlement",
  INSTALLATION,
  STREAM_KEEPER,
] as const;
export type BusUser = (typeof BUS_USERS)[number];

/**
 * The names that a user may sign in with: two, with a password each and the same rights, so that a password
 * can be replaced while processes run. The unused name gets the new password, the processes move to it one by
 * one, and then the password of the old name is replaced.
 */
export function busLoginsOf(user: string): [string, string] {
  return [user, `${user}${SECOND_LOGIN}`];
}

const SECOND_LOGIN = "-2";

/**
 * First tokens of the subjects on which a user gets its answers. Each user has its own, so that none can listen to the
 * answers that another one gets (`_INBOX`, the client's default, is shared by all). Both of a user's logins share them.
 */
export function inboxPrefix(login: string): string {
  return `_INBOX_${login.endsWith(SECOND_LOGIN) ? login.slice(0, -SECOND_LOGIN.length) : login}`;
}

/** The inboxes of one user, as a subject for permissions. */
export function inboxSubject(user: string): string {
  return `${inboxPrefix(user)}.>`;
}

/** The inboxes of clients without a prefix of their own: tools, and tests on a server without users. */
export const DEFAULT_INBOX_PREFIX = "_INBOX";

/** The user that looks on in the sandbox and in tests; it does not exist in production. */
export const OBSERVER = "observer";
