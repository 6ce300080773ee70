import { html, type Html } from "@holdfast/html";
import type { Merchant } from "@holdfast/contracts";
import { endpointTable } from "../deliveries/endpoint-table.ts";
import { actionForm, numberField, selectField, textField } from "../ui/form-fields.ts";
import { amountText, modeText, rateText, statusBadge, timeElement } from "../ui/format.ts";
import type { WholeMerchant } from "./merchant-page.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import { barOf, roleBar } from "../ui/offers.ts";
import type { PageContext, Reader } from "../ui/page-context.ts";
import { readAmount, readRate } from "../ui/read-number.ts";
import { facts, table, type Column } from "../ui/table.ts";
import { awayNote } from "../ui/unless-away.ts";

/** Suspends or reactivates, or names the role that may. */
export function statusForm(context: PageContext, { merchant }: WholeMerchant): Html {
  const { reader, session } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const bar = roleBar(session, "onboarder", reader.texts);
  if (bar !== undefined)
    return html`<h2>${reader.texts.notNow}</h2>
      <ul class="reasons">
        <li>${texts.change}: ${bar}</li>
      </ul>`;
  const isActive = merchant.status === "ACTIVE";
  return html`<h2>${reader.texts.now}</h2>
    ${actionForm(context, {
      action: actionOf(merchant, isActive ? "suspend" : "activate"),
      button: isActive ? texts.suspend : texts.activate,
      question: isActive ? texts.confirmSuspend(merchant.name) : undefined,
    })}`;
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
            action: actionOf(merchant, "revoke-key"),
            button: texts.revoke,
            values: { apiKey },
            question: texts.confirmRevoke(apiKey),
          }),
  };
  const modes = [
    { value: "true", text: modeText(reader, true) },
    { value: "false", text: modeText(reader, false) },
  ];
  return html`${table(
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
  ${
    may &&
    actionForm(context, {
      action: actionOf(merchant, "add-key"),
      button: texts.newKey,
      fields: selectField({ name: "keyMode", label: reader.texts.mode, choices: modes, chosen: "true" }),
    })
  }`;
}

function issuer(heading: string): Column<Merchant["credentials"][number]> {
  return { heading, cell: ({ issuedBy }) => issuedBy ?? "–" };
}

export function planSection(context: PageContext, { merchant }: WholeMerchant): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const plan = merchant.commission;
  return html`<h2>${texts.plan}</h2>
    ${
      plan
        ? facts([
            [texts.rate, rateText(reader, plan.ratePercent)],
            [texts.fixed, amountText(reader, Number(plan.fixed), plan.currency)],
            [texts.refundsCommission, plan.refundsCommission === false ? texts.no : texts.yes],
          ])
        : html`<p class="quiet">${texts.noPlan}</p>`
    }
    ${plan?.rules && plan.rules.length > 0 && planRules(reader, plan.rules)}
    ${mayChangePlan(context) && planForm(context, merchant)}`;
}

function planForm(context: PageContext, merchant: Merchant): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const plan = merchant.commission;
  const refunds = form.get("refundsCommission") ?? String(plan?.refundsCommission !== false);
  const value = (name: "currency", otherwise: string) => form.get(name) ?? plan?.[name] ?? otherwise;
  return actionForm(context, {
    action: actionOf(merchant, "plan"),
    button: texts.savePlan,
    fields: html`<div class="filters">
        ${numberField(context, {
          name: "ratePercent",
          label: texts.rate,
          decimal: plan?.ratePercent ?? "",
          read: (text) => readRate(reader, text),
          max: 10,
        })}
        ${numberField(context, {
          name: "fixed",
          label: texts.fixed,
          decimal: plan?.fixed ?? "0",
          read: (text) => readAmount(reader, text, value("currency", "")),
          max: 20,
        })}
        ${textField({ name: "currency", label: texts.currency, value: value("currency", "TRY"), max: 3 })}
        ${selectField({
          name: "refundsCommission",
          label: texts.refundsCommission,
          choices: [
            { value: "true", text: texts.yes },
            { value: "false", text: texts.no },
          ],
          chosen: refunds,
        })}
      </div>
      ${plan?.rules && plan.rules.length > 0 && html`<p class="quiet">${texts.planRulesKept}</p>`}`,
  });
}

function planRules(reader: Reader, rules: NonNullable<NonNullable<Merchant["commission"]>["rules"]>): Html {
  const texts = MERCHANT_TEXTS[reader.language];
  const any = reader.texts.any;
  return table(
    texts.planRules,
    [
      { heading: texts.cardType, cell: ({ cardType }) => cardType ?? any },
      { heading: texts.domInt, cell: ({ domInt }) => domInt ?? any },
      {
        heading: texts.installments,
        cell: ({ installmentsFrom = 1, installmentsTo = 12 }) => `${installmentsFrom}–${installmentsTo}`,
      },
      { heading: texts.rate, isNumber: true, cell: ({ ratePercent }) => ratePercent },
      { heading: texts.fixed, isNumber: true, cell: ({ fixed }) => fixed },
    ],
    { rows: rules, empty: texts.noPlan },
  );
}

/** The endpoints of one mode with their health, and the actions on each. */
export function webhookSection(context: PageContext, whole: WholeMerchant): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const { merchant, webhooks, isLive } = whole;
  if (!webhooks) return awayNote(reader, texts.webhooks, webhooks);
  const mode = isLive ? "" : "?livemode=false";
  const deliveries = (endpointId: string) =>
    `/deliveries?${new URLSearchParams({
      merchantId: merchant.merchantId,
      endpointId,
      ...(!isLive && { livemode: "false" }),
    }).toString()}`;
  const button = (verb: string, text: string, endpointId: string, question?: string) =>
    actionForm(context, {
      action: actionOf(merchant, verb) + mode,
      button: text,
      values: { endpointId },
      question,
    });
  return html`<h2 id="webhooks">${texts.webhooksOf(modeText(reader, isLive))}</h2>
    ${endpointTable(reader, webhooks, {
      href: ({ endpointId }) => deliveries(endpointId),
      ...(mayChangeKeys(context) && {
        actions: ({ endpointId, nextSecretVersion, url }) =>
          html`<div class="buttons">
            ${button("rotate-secret", texts.rotateSecret, endpointId, texts.confirmRotate(url))}
            ${nextSecretVersion !== undefined && button("activate-secret", texts.activateSecret, endpointId)}
            ${button("test-webhook", texts.testWebhook, endpointId)}
          </div>`,
      }),
    })}
    ${
      mayChangeKeys(context) &&
      actionForm(context, {
        action: actionOf(merchant, "add-webhook") + mode,
        button: texts.addWebhook,
        fields: textField({
          name: "url",
          label: texts.url,
          hint: texts.urlHint,
          value: form.get("url") ?? "",
          max: 2_048,
        }),
      })
    }`;
}

function mayChangePlan({ reader, session }: PageContext): boolean {
  return roleBar(session, "onboarder", reader.texts) === undefined;
}

/** Covers webhook endpoints, too. */
function mayChangeKeys({ reader, session }: PageContext): boolean {
  return barOf(session, { operator: "onboarder", staff: "developer" }, reader.texts) === undefined;
}

function actionOf({ merchantId }: Merchant, verb: string): string {
  return `/merchants/${merchantId}/${verb}`;
}
