import { annotate, failSpan, inSpan, linksTo, remoteContext, SpanKind } from "@holdfast/telemetry";
import type { Delivered } from "./deliver.ts";
import type { LeasedDelivery } from "./leased-delivery.ts";

/**
 * Makes an attempt in a span. The first attempt continues the trace of the request that made the event; a later one
 * comes minutes or days after it and has a trace of its own, linked to the first. The span names the receiver's host
 * and not its path, in which a merchant may have put a token.
 */
export async function inAttemptSpan(
  delivery: LeasedDelivery,
  attempt: () => Promise<Delivered>,
): Promise<Delivered> {
  const { traceparent, attempt: number, trigger } = delivery;
  const isFirst = trigger === "schedule" && number === 1;
  const options = {
    kind: SpanKind.CLIENT,
    parent: remoteContext(isFirst ? traceparent : null),
    links: isFirst ? [] : linksTo(traceparent),
  };
  return await inSpan("POST webhook", options, async (span) => {
    // Without a collector nobody reads them.
    if (span.isRecording()) annotate(describeDelivery(delivery), span);
    const delivered = await attempt();
    if (!delivered) {
      annotate({ "holdfast.outcome": "given_back" }, span);
      return delivered;
    }
    const { statusCode, error } = delivered.result;
    annotate({ "http.response.status_code": statusCode, "holdfast.outcome": error ?? "delivered" }, span);
    if (error !== undefined) failSpan(span, error);
    return delivered;
  });
}

function describeDelivery(delivery: LeasedDelivery) {
  const { hostname, port } = URL.parse(delivery.endpoint.url) ?? {};
  return {
    "http.request.method": "POST",
    "server.address": hostname,
    "server.port": Number(port || HTTPS_PORT),
    "holdfast.event.id": delivery.eventId,
    "holdfast.payment.id": delivery.paymentId,
    "holdfast.merchant.id": delivery.merchantId,
    "holdfast.status": delivery.paymentStatus,
    "holdfast.trigger": delivery.trigger,
    "holdfast.attempt": delivery.attempt,
  };
}

const HTTPS_PORT = 443;
