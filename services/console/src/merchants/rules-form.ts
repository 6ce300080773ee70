import { operations, type Merchant } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, numberField, textField } from "../ui/form-fields.ts";
import type { FieldFault, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { decimalField, readAmount } from "../ui/read-number.ts";
import { rowFields, sentRows } from "../ui/row-fields.ts";
import { takeAction } from "../ui/take-action.ts";
import { ofMerchant, seenMerchant, sentMerchant, type RenderAgain } from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

const AMOUNTS = { names: ["largestAmount", "largestCurrency"] } as const;

/** The rules with a number of payments within a time, by the name of their first field. */
const ATTEMPTS = { cardMax: "attemptsPerCard", ipMax: "attemptsPerIp" } as const;

/** All rules of a merchant. One whose fields are empty is off. */
export function rulesForm(context: PageContext, merchant: Merchant): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const { largestAmounts = [], attemptsPerCard, attemptsPerIp, declineRate } = merchant.rules ?? {};
  const count = (name: string, label: string, of: number | undefined, field: string) =>
    textField({
      name,
      label,
      value: form.get(name) ?? `${of ?? ""}`,
      max: 6,
      fault: faultAt(context, `rules.${field}`),
    });
  const minutes = (name: string, seconds: number | undefined, rule: string) =>
    numberField(context, {
      name,
      label: texts.withinMinutes,
      decimal: seconds === undefined ? "" : minutesOf(seconds),
      read: (text) => (text === "" ? { value: "" } : readAmount(reader, text, "")),
      fault: faultAt(context, `rules.${rule}.windowSeconds`) ?? faultAt(context, `rules.${rule}`),
      max: 10,
    });
  const stored = largestAmounts.map(({ amount, currency }) => ({
    largestAmount: decimalField(reader, amount),
    largestCurrency: currency,
  }));
  const group = (name: string, fields: Html) =>
    html`<fieldset>
      <legend>${name}</legend>
      <div class="filters">${fields}</div>
    </fieldset>`;
  return html`<details ${form.has("cardMax") && html`open`}>
    <summary>${texts.changeRules}</summary>
    ${actionForm(context, {
      action: `/merchants/${merchant.merchantId}/rules`,
      button: texts.saveRules,
      values: seenMerchant(merchant),
      fields: html`<p class="quiet">${texts.rulesHint}</p>
        ${rowFields(reader, sentRows(form, AMOUNTS) ?? stored, AMOUNTS, texts.largestAmountNumber, (row, index) => amountFields(context, row, index))}
        ${group(
          texts.ruleNames.attemptsPerCard,
          html`${count("cardMax", texts.atMost, attemptsPerCard?.max, "attemptsPerCard.max")}
          ${minutes("cardMinutes", attemptsPerCard?.windowSeconds, "attemptsPerCard")}`,
        )}
        ${group(
          texts.ruleNames.attemptsPerIp,
          html`${count("ipMax", texts.atMost, attemptsPerIp?.max, "attemptsPerIp.max")}
          ${minutes("ipMinutes", attemptsPerIp?.windowSeconds, "attemptsPerIp")}`,
        )}
        ${group(
          texts.ruleNames.declineRate,
          html`${count("declinePercent", texts.percentDeclined, declineRate?.percent, "declineRate.percent")}
          ${count("declineMinimum", texts.ofAtLeast, declineRate?.minimumCount, "declineRate.minimumCount")}
          ${minutes("declineMinutes", declineRate?.windowSeconds, "declineRate")}`,
        )}`,
    })}
  </details>`;
}

function amountFields(
  context: PageContext,
  row: Record<(typeof AMOUNTS)["names"][number], string>,
  index: number,
): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const isSent = form.has("cardMax") && (row.largestAmount !== "" || row.largestCurrency !== "");
  const field = (name: keyof typeof row, label: string, fault: string | undefined) =>
    textField({ name, id: `${name}-${index}`, label, value: row[name], max: 20, fault });
  const read = isSent ? readAmount(reader, row.largestAmount, row.largestCurrency).fault : undefined;
  const amountFault = faultAt(context, `rules.largestAmounts.${index}.amount`) ?? read;
  return html`${field("largestAmount", reader.texts.amount, amountFault)}
  ${field("largestCurrency", texts.currencyCode, faultAt(context, `rules.largestAmounts.${index}.currency`))}`;
}

/** A time in minutes, in decimal notation. */
function minutesOf(seconds: number): string {
  return `${Number((seconds / 60).toFixed(4))}`;
}

/** Replaces the rules by what the form has. */
export async function changeRules(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { body, needs } = rulesIn(context.form, context.reader);
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.changeMerchant,
      ...ofMerchant(context),
      body: { ...sentMerchant(context), ...body },
      needs,
    },
    again,
  );
}

/** A rule with only a part of its fields is sent unchanged: the gateway names the missing fields. */
function rulesIn(form: URLSearchParams, reader: Reader) {
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const needs: FieldFault[] = [];
  const read = (text: string, currency: string, of: string) => {
    const { value, fault } = readAmount(reader, text, currency);
    needs.push(...needsOf({ [`rules.${of}`]: fault }));
    return value;
  };
  const whole = (name: string) => (field(name) === "" ? undefined : Number(field(name)));
  const seconds = (name: string, rule: string) =>
    field(name) === "" ? undefined : Math.round(Number(read(field(name), "", `${rule}.windowSeconds`)) * 60);
  const hasAny = (...names: string[]) => names.some((name) => field(name) !== "");
  const largestAmounts = (sentRows(form, AMOUNTS) ?? [])
    .map(({ largestAmount, largestCurrency }) => ({ largestAmount, currency: largestCurrency.toUpperCase() }))
    .map(({ largestAmount, currency }, index) => ({
      currency,
      amount: read(largestAmount, currency, `largestAmounts.${index}.amount`),
    }));
  const attempts = Object.entries(ATTEMPTS).flatMap(([max, rule]) => {
    const minutes = max.replace("Max", "Minutes");
    return hasAny(max, minutes) ? [[rule, { max: whole(max), windowSeconds: seconds(minutes, rule) }]] : [];
  });
  const declines = hasAny("declinePercent", "declineMinimum", "declineMinutes") && {
    percent: whole("declinePercent"),
    minimumCount: whole("declineMinimum"),
    windowSeconds: seconds("declineMinutes", "declineRate"),
  };
  const rules = {
    ...(largestAmounts.length > 0 && { largestAmounts }),
    ...Object.fromEntries(attempts),
    ...(declines && { declineRate: declines }),
  };
  return { body: { rules }, needs };
}
