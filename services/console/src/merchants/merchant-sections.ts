import { html, type Html } from "@holdfast/html";
import type { Merchant } from "@holdfast/contracts";
import { faultAt, faultWithin } from "../ui/field-faults.ts";
import { actionForm, selectField, textField } from "../ui/form-fields.ts";
import { amountText, modeText, rateText, statusBadge, statusWord, timeElement } from "../ui/format.ts";
import { instantField } from "../ui/instant-field.ts";
import { roleBar } from "../ui/offers.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { facts, table, type Column } from "../ui/table.ts";
import { mayChangeKeys, mayChangeMerchant, seenMerchant } from "./merchant-forms.ts";
import type { WholeMerchant } from "./merchant-page.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import { planForm } from "./plan-form.ts";

/** Renames, suspends or reactivates, or names the role that may. */
export function statusForm(context: PageContext, { merchant }: WholeMerchant): Html {
  const { form, reader, session } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const bar = roleBar(session, "onboarder", reader.texts);
  if (bar !== undefined)
    return html`<h2>${reader.texts.notNow}</h2>
      <ul class="reasons">
        <li>${texts.change}: ${bar}</li>
      </ul>`;
  const isActive = merchant.status === "ACTIVE";
  const newName = form.get("newName");
  return html`<h2>${reader.texts.now}</h2>
    ${actionForm(context, {
      action: `/merchants/${merchant.merchantId}/${isActive ? "suspend" : "activate"}`,
      button: isActive ? texts.suspend : texts.activate,
      question: isActive ? texts.confirmSuspend(merchant.name) : undefined,
    })}
    <details ${newName !== null && html`open`}>
      <summary>${texts.rename}</summary>
      ${actionForm(context, {
        action: `/merchants/${merchant.merchantId}/rename`,
        button: texts.rename,
        values: seenMerchant(merchant),
        fields: textField({
          name: "newName",
          label: texts.newName,
          value: newName ?? merchant.name,
          max: 100,
          fault: newName === null ? undefined : faultAt(context, "name"),
        }),
      })}
    </details>`;
}

export function keySection(context: PageContext, { merchant }: Pick<WholeMerchant, "merchant">): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const may = mayChangeKeys(context);
  const revoke = {
    heading: reader.texts.now,
    cell: ({ apiKey, revokedAt }: Merchant["credentials"][number]) =>
      revokedAt !== undefined
        ? html`–`
        : actionForm(context, {
            action: `/merchants/${merchant.merchantId}/revoke-key`,
            button: texts.revoke,
            values: { apiKey },
            question: texts.confirmRevoke(apiKey),
          }),
  };
  return html`<div id="keys">
    ${table(
      texts.keys,
      [
        { heading: texts.key, cell: ({ apiKey }) => html`<code>${apiKey}</code>` },
        { heading: reader.texts.mode, cell: ({ livemode }) => modeText(reader, livemode) },
        { heading: texts.made, cell: ({ createdAt }) => timeElement(reader, createdAt) },
        { heading: texts.lastUsed, cell: ({ lastUsedOn }) => lastUsedOn ?? "–" },
        {
          heading: texts.expires,
          cell: ({ expiresAt }) => (expiresAt === undefined ? "–" : timeElement(reader, expiresAt)),
        },
        { heading: texts.addresses, cell: ({ addresses }) => addresses?.join(", ") ?? texts.anyAddress },
        // Staff do not see which operators have issued keys.
        ...(context.session.staff ? [] : [issuer(texts.issuedBy)]),
        {
          heading: reader.texts.status,
          cell: ({ revokedAt }) =>
            revokedAt === undefined
              ? statusBadge(reader, "ACTIVE")
              : html`${texts.revoked} ${timeElement(reader, revokedAt)}`,
        },
        ...(may ? [revoke] : []),
      ],
      { rows: merchant.credentials, empty: texts.noKeys },
    )}
    ${may && keyForm(context, merchant)}
  </div>`;
}

/** A new key of either mode, which may be restricted. */
function keyForm(context: PageContext, { merchantId }: Merchant): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const modes = [true, false].map((mode) => ({ value: `${mode}`, text: modeText(reader, mode) }));
  const [ends, addresses] = [form.get("keyEnds") ?? "", form.get("keyAddresses") ?? ""];
  return actionForm(context, {
    action: `/merchants/${merchantId}/add-key`,
    button: texts.newKey,
    fields: html`${selectField({
        name: "keyMode",
        label: reader.texts.mode,
        choices: modes,
        chosen: form.get("keyMode") ?? "true",
      })}
      <details ${(ends || addresses) !== "" && html`open`}>
        <summary>${texts.restrictKey}</summary>
        ${instantField("keyEnds", texts.keyEnds, ends, faultAt(context, "expiresAt"))}
        ${textField({
          name: "keyAddresses",
          label: texts.keyAddresses,
          hint: texts.keyAddressesHint,
          value: addresses,
          max: 2_500,
          fault: faultWithin(context, "addresses"),
        })}
      </details>`,
  });
}

function issuer(heading: string): Column<Merchant["credentials"][number]> {
  return { heading, cell: ({ issuedBy }) => issuedBy ?? "–" };
}

export function planSection(context: PageContext, { merchant }: WholeMerchant): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const plan = merchant.commission;
  return html`<h2 id="plan">${texts.plan}</h2>
    ${
      plan
        ? facts([
            [texts.rate, rateText(reader, plan.ratePercent)],
            [texts.fixed, amountText(reader, Number(plan.fixed), plan.currency)],
            [texts.refundsCommission, plan.refundsCommission === false ? texts.no : texts.yes],
            [texts.mayExceedAmount, plan.mayExceedAmount === true ? texts.yes : texts.no],
          ])
        : html`<p class="quiet">${texts.noPlan}</p>`
    }
    ${plan?.rules && plan.rules.length > 0 && planRules(reader, plan)}
    ${mayChangeMerchant(context) && planForm(context, merchant)}`;
}

function planRules(reader: Reader, plan: NonNullable<Merchant["commission"]>): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  const any = reader.texts.any;
  return table(
    texts.planRules,
    [
      { heading: texts.cardType, cell: ({ cardType }) => (cardType ? statusWord(reader, cardType) : any) },
      { heading: texts.domInt, cell: ({ domInt }) => (domInt ? statusWord(reader, domInt) : any) },
      {
        heading: texts.installments,
        cell: ({ installmentsFrom = 1, installmentsTo = 12 }) => `${installmentsFrom}–${installmentsTo}`,
      },
      { heading: texts.rate, isNumber: true, cell: ({ ratePercent }) => rateText(reader, ratePercent) },
      {
        heading: texts.fixed,
        isNumber: true,
        cell: ({ fixed }) => amountText(reader, Number(fixed), plan.currency),
      },
    ],
    { rows: plan.rules ?? [], empty: texts.noPlan },
  );
}
