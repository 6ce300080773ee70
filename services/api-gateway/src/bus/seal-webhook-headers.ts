import type { CommandReply, SealedReply, SentWebhookHeaders } from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import { Refusal } from "../http/refusal.ts";
import { refusalOf } from "./command-answer.ts";

/**
 * Headers of an endpoint's owner cross the bus sealed to the dispatcher, whose list of endpoints comes with its key.
 *
 * @param listed the dispatcher's answer to a request for that list.
 */
export function sealWebhookHeaders(
  listed: CommandReply<{ sealTo?: string | undefined }>,
  content: SentWebhookHeaders,
): { headers: SealedReply } | Refusal {
  if (!("result" in listed)) return refusalOf(listed);
  const { sealTo } = listed.result;
  // A dispatcher of the release before, while the installation is upgraded.
  if (sealTo === undefined) return new Refusal("service_unavailable");
  return { headers: sealReply(sealTo, JSON.stringify(content)) };
}
