import {
  ALL_COMMANDS,
  BUS_USERS,
  DEFAULT_INBOX_PREFIX,
  EVENT_STREAM,
  eventSubject,
  inboxSubject,
  NOTICES,
  OBSERVER,
  WEBHOOK_CONSUMER,
  type BusUser,
  type EventSource,
} from "@holdfast/contracts";

/** Subjects that a user may publish and subscribe to; every other one is refused. */
export type Permissions = { publish: string[]; subscribe: string[] };

/**
 * What each user of the bus may do, derived from the contracts: a command names who serves and who sends it, an event
 * who publishes it. This file adds the part of JetStream's interface that a service uses.
 *
 * `allow_responses` is not used: it would let a handler publish to whatever reply subject a message names, past this
 * list. Instead, handlers may publish to the inboxes of their commands' senders.
 */
export function busPermissions({ observed }: { observed: boolean }): Map<string, Permissions> {
  const users = new Map<string, Permissions>(BUS_USERS.map((user) => [user, permissionsOf(user, observed)]));
  if (observed) users.set(OBSERVER, { publish: [">"], subscribe: [">"] });
  return users;
}

function permissionsOf(user: BusUser, observed: boolean): Permissions {
  const sent = ALL_COMMANDS.filter(({ senders }) => senders.includes(user));
  const served = ALL_COMMANDS.filter(({ service }) => SERVED_BY[service] === user);
  const own = OF_ITS_OWN[user];
  const notices = NOTICES.filter(({ service }) => service === user).map(({ subject }) => subject);
  const askers = BUS_USERS.filter((other) => served.some(({ senders }) => senders.includes(other)));
  const observers = observed ? [inboxSubject(OBSERVER), `${DEFAULT_INBOX_PREFIX}.>`] : [];
  // Sorted, so that the generated file does not depend on the order in which modules are loaded.
  return {
    publish: [
      ...sent.map(({ subject }) => subject),
      ...own.publish,
      ...notices,
      ...(served.length > 0 ? [...askers.map(inboxSubject), ...observers] : []),
    ].toSorted(),
    subscribe: [
      ...served.map(({ subject }) => subject),
      ...own.subscribe,
      ...notices,
      ...new Set(served.map(({ service }) => service)).values().flatMap(discoverySubjects),
      inboxSubject(user),
    ].toSorted(),
  };
}

/** Which user runs a service of the NATS services framework. */
const SERVED_BY: Readonly<Record<string, BusUser>> = {
  payments: "payments",
  refunds: "refunds",
  webhooks: "webhook-dispatcher",
};

const OF_ITS_OWN: Record<BusUser, Permissions> = {
  "api-gateway": { publish: [], subscribe: [] },
  payments: eventSource("payments"),
  refunds: eventSource("refunds"),
  "webhook-dispatcher": {
    publish: [...streamSubjects(), ...consumerSubjects()],
    subscribe: [],
  },
};

function eventSource(source: EventSource): Permissions {
  return { publish: [eventSubject(source), ...streamSubjects()], subscribe: [] };
}

/**
 * What finding and creating the event stream and changing its settings takes, without purging, deleting or reading it
 * directly.
 */
function streamSubjects(): string[] {
  const { name } = EVENT_STREAM;
  return ["INFO", ...["INFO", "CREATE", "UPDATE"].map((verb) => `STREAM.${verb}.${name}`)].map(apiSubject);
}

/** What creating the dispatchers' consumer, pulling from it and acknowledging takes. */
function consumerSubjects(): string[] {
  const consumer = `${EVENT_STREAM.name}.${WEBHOOK_CONSUMER}`;
  return [
    ...["INFO", "CREATE", "MSG.NEXT"].map((verb) => apiSubject(`CONSUMER.${verb}.${consumer}`)),
    `$JS.ACK.${consumer}.>`,
  ];
}

function apiSubject(call: string): string {
  return `$JS.API.${call}`;
}

/** The services framework's discovery subjects; who may publish to them is not decided here. */
function discoverySubjects(service: string): string[] {
  return ["PING", "INFO", "STATS"].flatMap((verb) => [
    `$SRV.${verb}`,
    `$SRV.${verb}.${service}`,
    `$SRV.${verb}.${service}.*`,
  ]);
}
