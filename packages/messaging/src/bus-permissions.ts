import {
  ALL_COMMANDS,
  BUS_USERS,
  DEFAULT_INBOX_PREFIX,
  EVENT_STREAM,
  eventSubject,
  inboxSubject,
  INSTALLATION,
  NOTICES,
  OBSERVER,
  STREAM_KEEPER,
  WEBHOOK_CONSUMER,
  type BusUser,
  type EventSource,
} from "@holdfast/contracts";

/** Subjects that a user may publish and subscribe to; every other subject is refused. */
export type Permissions = { publish: string[]; subscribe: string[] };

/**
 * The rights of each user of the bus, derived from the contracts: a command names its service and its senders, an event
 * its publisher. This file adds the part of JetStream's interface that a service uses.
 *
 * `allow_responses` is not used: it would let a handler publish to any reply subject that a message names, past this
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
  const published = NOTICES.filter(({ publishers }) => publishers.includes(user));
  const heard = NOTICES.filter(({ listeners }) => listeners.includes(user));
  const askers = BUS_USERS.filter((other) => served.some(({ senders }) => senders.includes(other)));
  const observers = observed ? [inboxSubject(OBSERVER), `${DEFAULT_INBOX_PREFIX}.>`] : [];
  // Sorted, so that the generated file does not depend on the order in which modules are loaded.
  return {
    publish: [
      ...sent.map(({ subject }) => subject),
      ...own.publish,
      ...published.map(({ subject }) => subject),
      ...(served.length > 0 ? [...askers.map(inboxSubject), ...observers] : []),
    ].toSorted(),
    subscribe: [
      ...served.map(({ subject }) => subject),
      ...own.subscribe,
      ...heard.map(({ subject }) => subject),
      inboxSubject(user),
    ].toSorted(),
  };
}

/** The user that runs each service. */
const SERVED_BY: Readonly<Record<string, BusUser>> = {
  gateway: "gateway-operator",
  payments: "payments",
  refunds: "refunds",
  webhooks: "webhook-dispatcher",
  settlement: "settlement",
};

const OF_ITS_OWN: Record<BusUser, Permissions> = {
  "gateway-merchant": { publish: [], subscribe: [] },
  "gateway-operator": { publish: [], subscribe: [] },
  "gateway-public": { publish: [], subscribe: [] },
  "gateway-staff": { publish: [], subscribe: [] },
  payments: eventSource("payments"),
  refunds: eventSource("refunds"),
  "webhook-dispatcher": {
    publish: [
      ...streamSubjects("INFO"),
      ...consumerSubjects("INFO", "MSG.NEXT"),
      `$JS.ACK.${EVENT_STREAM.name}.${WEBHOOK_CONSUMER}.>`,
    ],
    subscribe: [],
  },
  settlement: eventSource("settlement"),
  [INSTALLATION]: {
    publish: [...streamSubjects("INFO", "CREATE", "UPDATE"), ...consumerSubjects("INFO", "CREATE")],
    subscribe: [],
  },
  // CREATE refuses a stream that is there with other settings. UPDATE could have the server copy every message.
  [STREAM_KEEPER]: {
    publish: [...streamSubjects("INFO", "CREATE"), ...consumerSubjects("INFO", "CREATE")],
    subscribe: [],
  },
};

function eventSource(source: EventSource): Permissions {
  return { publish: [eventSubject(source), ...streamSubjects("INFO")], subscribe: [] };
}

/**
 * The subjects for questions about the event stream, or changes of it; never the subjects that purge, delete
 * or read it directly.
 */
function streamSubjects(...verbs: ("INFO" | "CREATE" | "UPDATE")[]): string[] {
  const { name } = EVENT_STREAM;
  return ["INFO", ...verbs.map((verb) => `STREAM.${verb}.${name}`)].map(apiSubject);
}

/**
 * The subjects for the stream's consumer. The user that creates a consumer decides where the server delivers.
 */
function consumerSubjects(...verbs: ("INFO" | "CREATE" | "MSG.NEXT")[]): string[] {
  return verbs.map((verb) => apiSubject(`CONSUMER.${verb}.${EVENT_STREAM.name}.${WEBHOOK_CONSUMER}`));
}

function apiSubject(call: string): string {
  return `$JS.API.${call}`;
}
