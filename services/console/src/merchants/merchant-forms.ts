import type { Merchant } from "@holdfast/contracts";
import { statusWord } from "../ui/format.ts";
import type { Choice } from "../ui/form-fields.ts";
import { barOf, roleBar } from "../ui/offers.ts";
import type { Notice, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { seenVersion, sentVersion } from "../ui/seen-version.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

/** Shows the merchant's page with what was refused. */
export type RenderAgain = (context: PageContext, notice?: Notice, status?: number) => Promise<PageAnswer>;

/** A choice of codes, of which the first option means all. */
export function anyOr(reader: Reader, codes: readonly string[]): Choice[] {
  return [
    { value: "", text: reader.texts.any },
    ...codes.map((value) => ({ value, text: statusWord(reader, value) })),
  ];
}

export function yesOrNo({ language }: Reader): Choice[] {
  const { yes, no } = MERCHANT_TEXTS[language];
  return [
    { value: "true", text: yes },
    { value: "false", text: no },
  ];
}

/** The merchant of a form, and its page in the mode that is shown. */
export function ofMerchant(context: PageContext): { path: { merchantId: string }; page: string } {
  const merchantId = context.parameters["merchantId"]!;
  const mode = context.query.get("livemode") === "false" ? "?livemode=false" : "";
  return { path: { merchantId }, page: `/merchants/${encodeURIComponent(merchantId)}${mode}` };
}

/** The endpoint of a form, in the mode that is shown. */
export function ofEndpoint(context: PageContext) {
  const { path, page } = ofMerchant(context);
  const endpointId = context.form.get("endpointId") ?? "";
  return { path: { ...path, endpointId }, query: modeOf(context), body: undefined, page };
}

export function modeOf({ query }: PageContext): { livemode: "false" | undefined } {
  return { livemode: query.get("livemode") === "false" ? "false" : undefined };
}

/** Name, plan, rules and branding. */
export function mayChangeMerchant({ reader, session }: PageContext): boolean {
  return session.staff === undefined && roleBar(session, "onboarder", reader.texts) === undefined;
}

/** Covers webhook endpoints, too. */
export function mayChangeKeys({ reader, session }: PageContext): boolean {
  return barOf(session, { operator: "onboarder", staff: "developer" }, reader.texts) === undefined;
}

/** The name of a merchant's own version on its page, which has versions of routes and endpoints, too. */
export const OF_MERCHANT = "merchant";

/** The hidden field of a form that changes name, plan, rules or branding. */
export function seenMerchant({ version }: Merchant): Record<string, string> {
  return seenVersion(version, OF_MERCHANT);
}

export function sentMerchant({ form }: PageContext): { version?: number } {
  return sentVersion(form, OF_MERCHANT);
}
