import {
  sentWebhookHeadersSchema,
  type FieldFault,
  type SealedReply,
  type SentWebhookHeaders,
  type WebhookHeaders,
} from "@holdfast/contracts";
import { createRingRecipient, openAtRest, sealAtRest, SecretUnreadableError } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";

/**
 * Headers that an endpoint's owner adds to every request. Their values are sealed like the endpoint's secret; their names
 * are stored beside them, for people.
 */
export type EndpointHeader = { name: string; value: string };

/** The public key that headers are sealed to on their way here. */
export function sealToOf(ring: KeyRing): string {
  return createRingRecipient(ring).publicKey;
}

/** Headers as they are asked for, and the URL that they are given for. */
type SentHeaders = Pick<SentWebhookHeaders, "url" | "headers">;

/**
 * Opens the headers of a request. During a key rotation they may be sealed to any key of the ring.
 *
 * @param owner the endpoint that they have to be for, or the merchant of a new endpoint.
 * @returns undefined if no key of ours opens them, or they have another owner.
 */
export function openSentHeaders(ring: KeyRing, sealed: SealedReply, owner: string): SentHeaders | undefined {
  const opened = createRingRecipient(ring).open(sealed);
  if (!opened) return undefined;
  const sent = sentWebhookHeadersSchema.parse(JSON.parse(opened.toString()));
  return sent.for === owner ? sent : undefined;
}

/** The columns of these headers. They are bound to their endpoint, and cannot replace its secret. */
export function headerColumns(ring: KeyRing, endpointId: string, headers: readonly EndpointHeader[]) {
  const text = JSON.stringify(headers.map(({ name, value }) => [name, value]));
  return {
    headers: headers.length === 0 ? null : sealAtRest(ring, headersOwner(endpointId), text),
    header_names: headers.map(({ name }) => name),
  };
}

/** The row that sealed headers belong to. */
export const headersOwner = (endpointId: string) => `headers ${endpointId}`;

/** @throws SecretUnreadableError */
export function openHeaders(ring: KeyRing, endpointId: string, stored: Buffer): string {
  return openAtRest(ring, headersOwner(endpointId), stored);
}

/** The headers of a request, by their names in lower case. */
export function headersToSend(opened: string): Record<string, string> {
  return Object.fromEntries(JSON.parse(opened) as [string, string][]);
}

/** The headers of a new endpoint at this URL, or the fault of what was asked for. */
export function newHeaders(asked: SentHeaders, url: string): EndpointHeader[] | FieldFault {
  return isSameUrl(asked.url, url) ? withValues(asked.headers, new Map()) : FOR_ANOTHER_URL;
}

/** Compares URLs as they are called, however written. */
const isSameUrl = (one: string, other: string) => URL.parse(one)?.href === URL.parse(other)?.href;

export type HeaderChange = {
  ring: KeyRing;
  /** The endpoint before the change. */
  before: { endpoint_id: string; url: string; headers: Buffer | null; header_names: string[] };
  /** The URL after the change. */
  url: string;
  /** The requested headers; undefined if they stay unchanged. */
  asked: SentHeaders | undefined;
};

/**
 * The headers after a change. Values, in the request as well as stored ones, are sent only to the URL that
 * they were given for: otherwise anybody who may change the URL could read them there (docs/adr/0065).
 *
 * @returns the request's fault; undefined if the headers stay as they are.
 */
export function decideHeaders(change: HeaderChange): EndpointHeader[] | FieldFault | undefined {
  const { before, url, asked } = change;
  const moves = !isSameUrl(url, before.url);
  if (!asked) return moves && before.headers !== null ? GIVE_AGAIN : undefined;
  if (!isSameUrl(asked.url, url)) return FOR_ANOTHER_URL;
  const stored = moves ? new Map<string, string>() : storedHeaders(change);
  const headers = withValues(asked.headers, stored);
  if (!Array.isArray(headers)) return headers;
  // Values that are sent with a new URL are as new as the URL.
  const isSame =
    !moves &&
    headers.length === before.header_names.length &&
    headers.every(({ name, value }) => stored.get(name) === value);
  return isSame ? undefined : headers;
}

/** Headers without a value keep the stored one. */
function withValues(
  asked: WebhookHeaders,
  stored: ReadonlyMap<string, string>,
): EndpointHeader[] | FieldFault {
  const headers: EndpointHeader[] = [];
  for (const [index, { name, value = stored.get(name) }] of asked.entries()) {
    if (value === undefined)
      return { ...GIVE_AGAIN, field: `headers.${index}.value`, message: VALUE_REQUIRED };
    headers.push({ name, value });
  }
  return headers;
}

const GIVE_AGAIN = {
  field: "headers",
  code: "required",
  message: "must be given again with their values, together with another URL",
} as const satisfies FieldFault;
/** The endpoint's URL was changed after its owner, or the gateway, had read it. */
const FOR_ANOTHER_URL = {
  ...GIVE_AGAIN,
  message: "must be given again: the endpoint has another URL than the one that they were given for",
} as const satisfies FieldFault;
const VALUE_REQUIRED = "must be given: no value of this header is stored for this URL";

/** Values that no key opens have to be given again. */
function storedHeaders({ ring, before: { endpoint_id, headers } }: HeaderChange): Map<string, string> {
  if (headers === null) return new Map();
  try {
    return new Map(Object.entries(headersToSend(openHeaders(ring, endpoint_id, headers))));
  } catch (error) {
    if (error instanceof SecretUnreadableError) return new Map();
    throw error;
  }
}
