import { Card, cardPaymentFields, checkCardPaymentFields, withAsciiDigits } from "@holdfast/contracts";
import { z } from "zod";

/** The filled-in card form, once it is valid. `Card` hides its value when printed. */
export type CardForm = {
  card: Card;
  cardHolderName: string;
  installmentCount: number;
  /** The total that the page has shown with this number of installments. */
  installmentTotalMinor?: string;
};

/**
 * A fault of a field, as a key of the page's texts: `pan.luhn`, `expiry.expired`. It never has the value.
 */
export type FormFault = `${FormField}.${string}`;
export const FORM_FIELDS = ["pan", "cardHolderName", "expiry", "cvv", "installmentCount"] as const;
export type FormField = (typeof FORM_FIELDS)[number];

/**
 * Checks the form by the rules of the merchant API. It is more lenient about spelling: numbers may be grouped
 * by anything and in the digits of any script, the expiry is one field, and the year may have four digits and
 * stand first. It reports all fields at fault, each with its first fault, in the form's order.
 */
export function readCardForm(form: URLSearchParams, now: Date): CardForm | FormFault[] {
  const given = (name: string) => form.get(name)?.trim() ?? "";
  const numberOf = (name: string) => withAsciiDigits(given(name)).replaceAll(SEPARATORS, "");
  const expiry = withAsciiDigits(given("expiry")).replaceAll(/\s/g, "");
  const read =
    /^20(?<year>\d{2})[^\p{L}\p{N}]*(?<month>\d{2})$|^(?<month>\d{1,2})[^\p{L}\p{N}]*(?:20)?(?<year>\d{2})$/u.exec(
      expiry,
    );
  const { month, year } = read?.groups ?? {};
  const fields = {
    pan: numberOf("pan"),
    cardHolderName: given("cardHolderName"),
    expiryMonth: month?.padStart(2, "0") ?? given("expiry"),
    expiryYear: year ?? "",
    cvv: numberOf("cvv"),
    installmentCount: form.has("installmentCount") ? given("installmentCount") : "1",
  };
  const faults = new Map<FormField, string>();
  const addFault = (name: string, code: string) => {
    const field = name.startsWith("expiry") ? "expiry" : (name as FormField);
    if (!faults.has(field)) faults.set(field, form.get(field)?.trim() ? code : "required");
  };
  const parsed = cardFormSchema.safeParse(fields);
  for (const issue of parsed.error?.issues ?? []) addFault(String(issue.path[0]), codeOf(issue));
  checkCardPaymentFields(fields, now, addFault);
  if (faults.size === 0) {
    const { cardHolderName, installmentCount, ...card } = parsed.data!;
    const [count, total] = installmentCount.split(":");
    return {
      card: new Card(card),
      cardHolderName,
      installmentCount: Number(count),
      ...(total !== undefined && { installmentTotalMinor: total }),
    };
  }
  return FORM_FIELDS.filter((field) => faults.has(field)).map(
    (field): FormFault => `${field}.${faults.get(field)}`,
  );
}

/** Letters and other numbers stay, and make it invalid. */
const SEPARATORS = /[^\p{L}\p{N}]/gu;

const { pan, cardHolderName, expiryMonth, expiryYear, cvv } = cardPaymentFields;
const cardFormSchema = z.object({
  pan,
  cardHolderName,
  expiryMonth,
  expiryYear,
  cvv,
  // Includes the total if the page has shown one: see `InstallmentChoice`.
  installmentCount: z.string().regex(/^([1-9]|1[0-2])(:\d{1,14})?$/),
});

function codeOf(issue: z.core.$ZodIssue): string {
  return issue.code === "custom" ? String(issue.params?.["code"] ?? "invalid") : "invalid";
}
