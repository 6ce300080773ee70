import type { CommandReply, ListedWebhooks, SealedReply, SentWebhookHeaders } from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import { Refusal } from "../http/refusal.ts";
import { refusalOf } from "./command-answer.ts";

/** Headers as they are asked for. Without a URL they are for the one that their endpoint has. */
export type HeadersToSeal = Pick<SentWebhookHeaders, "for" | "headers"> & { url: string | undefined };

/**
 * Headers of an endpoint's owner cross the bus sealed to the dispatcher, whose list of endpoints comes with its key, and
 * with the URL that they are for.
 *
 * @param listed the dispatcher's answer to a request for that list.
 */
export function sealWebhookHeaders(
  listed: CommandReply<ListedWebhooks>,
  asked: HeadersToSeal,
): { headers: SealedReply } | Refusal {
  if (!("result" in listed)) return refusalOf(listed);
  const { sealTo, items } = listed.result;
  const url = asked.url ?? items.find(({ endpointId }) => endpointId === asked.for)?.url;
  if (url === undefined) return new Refusal("webhook_not_found");
  // A dispatcher of the release before, while the installation is upgraded.
  if (sealTo === undefined) return new Refusal("service_unavailable");
  const content: SentWebhookHeaders = { ...asked, url };
  return { headers: sealReply(sealTo, JSON.stringify(content)) };
}
