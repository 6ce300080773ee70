import type { CommandReply, ListedWebhooks, SealedReply, SentWebhookHeaders } from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import { Refusal } from "../http/refusal.ts";
import { refusalOf } from "./command-answer.ts";

/** The headers of a request, if it has any. Without a URL they are for the endpoint's present one. */
type AskedHeaders = Pick<SentWebhookHeaders, "for"> & {
  url: string | undefined;
  headers: SentWebhookHeaders["headers"] | undefined;
};

/**
 * Seals an endpoint's headers, with the URL that they are for, to the dispatcher's key, which comes with its
 * list of endpoints.
 *
 * @param list asks the dispatcher for that list.
 * @returns undefined if no headers are given.
 */
export async function sealWebhookHeaders(
  list: () => Promise<CommandReply<ListedWebhooks>>,
  { headers, ...asked }: AskedHeaders,
): Promise<{ headers: SealedReply } | Refusal | undefined> {
  if (headers === undefined) return undefined;
  const listed = await list();
  if (!("result" in listed)) return refusalOf(listed);
  const { sealTo, items } = listed.result;
  const url = asked.url ?? items.find(({ endpointId }) => endpointId === asked.for)?.url;
  if (url === undefined) return new Refusal("webhook_not_found");
  const content: SentWebhookHeaders = { ...asked, headers, url };
  return { headers: sealReply(sealTo, JSON.stringify(content)) };
}
