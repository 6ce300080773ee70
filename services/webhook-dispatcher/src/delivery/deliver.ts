import { hash, randomUUIDv7 } from "node:crypto";
import { failpoint } from "@holdfast/service-runtime";
import { signWebhook, signWebhookV2, WEBHOOK_HEADERS } from "@holdfast/webhook-signature";
import type { BusinessEvents } from "../business-events.ts";
import type { Clock } from "../clock.ts";
import { afterFailure, mayStart, type RetryRules } from "./retry-schedule.ts";
import type { AttemptRecord } from "./record-statements.ts";
import { hideValues } from "./hide-values.ts";
import { headersToSend } from "../endpoint/endpoint-headers.ts";
import { signingSecrets, type OpenSecrets, type SigningSecrets } from "../endpoint/endpoint-secrets.ts";
import { ENDPOINT_FRESH_MS, type ReadEndpoint } from "../endpoint/shared-readings.ts";
import type { StoredEndpoint } from "../endpoint/stored-endpoint.ts";
import type { PostResult, WebhookClient } from "../http-client/webhook-client.ts";
import type { LeasedDelivery } from "./leased-delivery.ts";

export type DeliverDeps = {
  client: WebhookClient;
  openSecrets: OpenSecrets;
  retry: RetryRules;
  clock: Clock;
  events: BusinessEvents;
  readEndpoint: ReadEndpoint;
};

/** An attempt that was made; undefined when none may be made, and the lease is released. */
export type Delivered = { result: PostResult; record: AttemptRecord } | undefined;

/**
 * Makes one attempt: signs and posts the event's bytes, and returns the result with its consequences. It records
 * nothing itself.
 */
export async function deliver(deps: DeliverDeps, delivery: LeasedDelivery): Promise<Delivered> {
  // Nothing has been sent yet, so an unreadable endpoint keeps no other process from trying.
  const endpoint = await currentEndpoint(deps, delivery).catch((error: unknown) => {
    deps.events.sendFailed(delivery, error);
    return undefined;
  });
  if (endpoint?.state !== "on" || !mayBeSent(deps, delivery)) return undefined;
  const startedAt = deps.clock.databaseNow();
  const secrets = signingSecrets(endpoint, new Date(startedAt));
  const posted = await signAndPost(deps, endpoint.url, secrets, delivery);
  const { result } = posted;
  if (result.error === undefined) await failpoint("webhooks.after_2xx");

  const record = describeAttempt(deps, delivery, { ...posted, secrets, startedAt });
  deps.events.attempted(delivery, result, {
    lateMs: startedAt - delivery.dueAt.getTime(),
    sinceEventMs: startedAt - delivery.occurredAt.getTime(),
    ends: record.retry_at === null,
  });
  return { result, record };
}

/** An attempt uses the present URL and secret: those that were read with the lease are good for a moment only. */
async function currentEndpoint(
  { readEndpoint }: DeliverDeps,
  { endpointId, endpoint, endpointReadAt }: LeasedDelivery,
): Promise<StoredEndpoint | undefined> {
  return performance.now() - endpointReadAt < ENDPOINT_FRESH_MS ? endpoint : await readEndpoint(endpointId);
}

function mayBeSent({ clock }: DeliverDeps, delivery: LeasedDelivery): boolean {
  return mayStart(delivery, new Date(clock.databaseNow()));
}

type Message = { endpointId: string; eventId: string; eventType: string; body: Buffer };

type Posted = {
  result: PostResult;
  /** Milliseconds since the epoch, as they were signed. */
  requestTime: number;
  /** SHA-256 of the body. */
  bodyHash: Buffer;
};

/**
 * Signs and posts. If an endpoint's secret cannot be read, nothing is sent, but the attempt counts as failed
 * like any other, so that the delivery log shows it and the schedule ends.
 */
export async function signAndPost(
  deps: Pick<DeliverDeps, "client" | "clock" | "openSecrets">,
  url: string,
  secrets: SigningSecrets<Buffer>,
  message: Message,
): Promise<Posted> {
  const bodyHash = hash("sha256", message.body, "buffer");
  const opened = deps.openSecrets(message.endpointId, secrets);
  if (opened) return await post(deps, url, opened, message, bodyHash);
  return { result: { error: "secret_unreadable", durationMs: 0 }, requestTime: deps.clock.now(), bodyHash };
}

/** Signs with the time at which the connection is ready, and posts. */
async function post(
  { client, clock }: Pick<DeliverDeps, "client" | "clock">,
  url: string,
  { current, next, headers: added }: SigningSecrets<string>,
  { eventId, eventType, body }: Message,
  bodyHash: Buffer,
): Promise<Posted> {
  let requestTime = clock.now();
  const written = Promise.withResolvers<void>();
  const posting = client.post(url, () => {
    requestTime = clock.now();
    const time = String(requestTime);
    const covered = { time, eventId, eventType };
    setImmediate(written.resolve);
    return {
      body,
      headers: {
        ...(added !== undefined && headersToSend(added)),
        "content-type": "application/json",
        "content-length": String(body.length),
        "user-agent": "Holdfast-Webhooks/1",
        [WEBHOOK_HEADERS.time]: time,
        [WEBHOOK_HEADERS.signature]: signWebhook(current.secret, time, body),
        [WEBHOOK_HEADERS.signatureV2]: signWebhookV2(current.secret, covered, body),
        ...(next && {
          [WEBHOOK_HEADERS.nextSignature]: signWebhook(next.secret, time, body),
          [WEBHOOK_HEADERS.nextSignatureV2]: signWebhookV2(next.secret, covered, body),
        }),
        [WEBHOOK_HEADERS.eventId]: eventId,
        [WEBHOOK_HEADERS.eventType]: eventType,
        [WEBHOOK_HEADERS.contentDigest]: `sha-256=:${bodyHash.toString("base64")}:`,
      },
    };
  });
  await Promise.race([written.promise, posting]);
  await failpoint("webhooks.in_request");
  const result = await posting;
  const { snippet } = result;
  const shown = snippet && added !== undefined && { snippet: hideValues(snippet, headersToSend(added)) };
  return { result: { ...result, ...shown }, requestTime, bodyHash };
}

type Attempt = Posted & { secrets: SigningSecrets<Buffer>; startedAt: number };

function describeAttempt(deps: DeliverDeps, delivery: LeasedDelivery, attempt: Attempt): AttemptRecord {
  const { result, requestTime, bodyHash, secrets, startedAt } = attempt;
  return {
    attempt_id: randomUUIDv7(),
    delivery_id: delivery.deliveryId,
    lease_token: delivery.leaseToken,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    occurred_at: delivery.occurredAt,
    trigger: delivery.trigger,
    number: delivery.trigger === "schedule" ? delivery.attempt : null,
    planned_at: delivery.dueAt,
    sent_at: new Date(startedAt),
    request_time: String(requestTime),
    succeeded: result.error === undefined,
    status_code: result.statusCode ?? null,
    error: result.error ?? null,
    duration_ms: result.durationMs,
    remote_address: result.remoteAddress ?? null,
    snippet: snippetText(result.snippet),
    body_hash: bodyHash,
    secret_version: secrets.current.version,
    next_version: secrets.next?.version ?? null,
    retry_at: retryAt(deps, delivery, result),
  };
}

function retryAt(
  { retry, clock }: DeliverDeps,
  delivery: LeasedDelivery,
  { error }: PostResult,
): Date | null {
  if (error === undefined || delivery.trigger === "manual") return null;
  const { attempt, deadlineAt } = delivery;
  const next = afterFailure(
    { attempt, deadlineAt, endedAt: new Date(clock.databaseNow()) },
    retry,
    Math.random(),
  );
  return next.kind === "retry" ? next.dueAt : null;
}

/**
 * The text of an answer in a form that can be stored and shown, whatever the receiver sent: no NUL, no control
 * characters.
 */
export function snippetText(snippet: Buffer | undefined): string | null {
  if (!snippet || snippet.length === 0) return null;
  return snippet.toString("utf8").replace(/[^\P{Cc}\n\t]/gu, "\uFFFD");
}
