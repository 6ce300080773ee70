import {
  brandingSchema,
  darkAccent,
  faultOfIssue,
  lightAccent,
  operations,
  parseInOurWords,
  readLogo,
  type Branding,
  type Merchant,
} from "@holdfast/contracts";
import { drawLogo, html, type Html } from "@holdfast/html";
import { faultAt } from "../ui/field-faults.ts";
import { areaField, hidden, textField } from "../ui/form-fields.ts";
import { amountText } from "../ui/format.ts";
import type { PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { faultsNotice } from "../ui/problem-text.ts";
import { isMadeFromAnother } from "../ui/seen-version.ts";
import { takeAction } from "../ui/take-action.ts";
import { OF_MERCHANT, ofMerchant, seenMerchant, sentMerchant, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

/** The look of the merchant's pages for buyers, with a preview of what is entered before it is saved. */
export function brandingSection(context: PageContext, merchant: Merchant, mayChange: boolean): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const isSent = form.has("brandName");
  const entered = isSent ? brandingIn(form) : merchant.branding;
  const isValid = entered === undefined || brandingSchema.safeParse(entered).success;
  const value = (name: string, stored: string | undefined) => form.get(name) ?? stored ?? "";
  const action = `/merchants/${merchant.merchantId}`;
  // The preview button comes first, so Enter in a field shows a preview and saves nothing.
  return html`<h2 id="branding">${texts.branding}</h2>
    ${isSent && isMadeFromAnother(form, merchant.version, OF_MERCHANT) && inUse(reader, merchant)}
    ${isValid && preview(reader, entered ?? {}, merchant.name)}
    ${
      mayChange &&
      html`<details ${isSent && html`open`}>
        <summary>${texts.changeBranding}</summary>
        <form class="act" method="post" action="${action}/branding">
          ${hidden(context, seenMerchant(merchant))}
          ${textField({
            name: "brandName",
            label: texts.brandName,
            hint: texts.brandNameHint,
            value: value("brandName", merchant.branding?.name),
            max: 60,
            fault: faultAt(context, "branding.name"),
          })}
          ${textField({
            name: "brandColor",
            label: texts.brandColor,
            hint: texts.brandColorHint,
            value: value("brandColor", merchant.branding?.color),
            max: 7,
            fault: faultAt(context, "branding.color"),
          })}
          ${areaField({
            name: "brandLogo",
            label: texts.brandLogo,
            hint: texts.brandLogoHint,
            value: value("brandLogo", merchant.branding?.logo),
            rows: 4,
            fault: faultAt(context, "branding.logo"),
          })}
          <div class="buttons">
            <button formaction="${action}/preview-branding">${texts.previewBranding}</button>
            <button class="primary">${texts.saveBranding}</button>
          </div>
        </form>
      </details>`
    }`;
}

/** The look that somebody else has saved meanwhile, above the entered one. */
function inUse(reader: Reader, { branding = {}, name }: Merchant): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  return html`<p class="quiet">${texts.brandingInUse}</p>
    ${preview(reader, branding, name)}
    <p class="quiet">${texts.brandingEntered}</p>`;
}

/** The head and the button of a payment page, on a light screen and on a dark one. */
function preview(reader: Reader, { name, color = OWN_COLOR, logo }: Branding, merchantName: string): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  const shapes = logo === undefined ? undefined : readLogo(logo);
  const shop = name ?? merchantName;
  const screens = [
    { look: "light", ...lightAccent(color) },
    { look: "dark", ...darkAccent(color) },
  ];
  // Colours are attributes of the drawing, since the page's policy forbids inline styles.
  return html`<div class="brands" role="img" aria-label="${texts.previewOf(shop)}">
    ${screens.map(
      ({ look, accent, onAccent }) =>
        html`<div class="brand-card ${look}">
          <div class="brand-head">
            ${shapes !== undefined && typeof shapes !== "string" && drawLogo(shapes)}<strong>${shop}</strong>
          </div>
          <p>${amountText(reader, 1249.9, "TRY")}</p>
          <svg viewBox="0 0 200 40" class="brand-button">
            <rect width="200" height="40" rx="8" fill="${accent}" />
            <text x="100" y="26" text-anchor="middle" fill="${onAccent}">${texts.pay}</text>
          </svg>
        </div>`,
    )}
  </div>`;
}

/** The colour of pages without one of their merchant's. */
const OWN_COLOR = "#0a5f5b";

/** The entered look; undefined if all of its fields are empty. */
function brandingIn(form: URLSearchParams): Branding | undefined {
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const [name, color, logo] = [field("brandName"), field("brandColor").toLowerCase(), field("brandLogo")];
  if (!name && !color && !logo) return undefined;
  return { ...(name && { name }), ...(color && { color }), ...(logo && { logo }) };
}

/** Shows what is entered, or what is wrong with it, and asks the gateway for no change. */
export async function previewBranding(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const entered = { branding: brandingIn(context.form) };
  const { error } = parseInOurWords(brandingSchema.optional(), entered.branding);
  if (!error) return await again(context);
  const faults = error.issues.map((issue) => ({
    field: ["branding", ...issue.path].join("."),
    ...faultOfIssue(issue, entered.branding),
  }));
  return await again(context, faultsNotice(context, faults), 400);
}

export async function changeBranding(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const body = { ...sentMerchant(context), branding: brandingIn(context.form) ?? null };
  return await takeAction(
    context,
    { action: "changeMerchant", endpoint: operations.changeMerchant, ...ofMerchant(context), body },
    again,
  );
}
