import { escapeHtml, htmlPage } from "./html-page.ts";

/** The code that passes every challenge. */
export const RIGHT_CODE = "123456";

/**
 * The page of the cardholder's bank. It has no script, so that a program can post its form, too. @param
 * paying the amount and the payee
 */
export function issuerPage({
  paying,
  action,
  fields = [],
}: {
  paying: string;
  action: string;
  fields?: readonly (readonly [string, string])[];
}): string {
  return htmlPage(
    "Confirm your payment",
    `<h1>Confirm your payment</h1>
<p>Test bank: this page stands in for the bank that issued the card. You are about to pay <strong>${escapeHtml(paying)}</strong>.</p>
<form method="post" action="${escapeHtml(action)}">
${hiddenInputs(fields)}  <p><label for="code">Code from your phone</label><br>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" autofocus></p>
  <p>Enter ${RIGHT_CODE} to approve; any other code fails.</p>
  <p><button name="answer" value="submit">Confirm</button>
  <button name="answer" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

export function messagePage(text: string): string {
  return htmlPage("Your bank", `<p>${escapeHtml(text)}</p>`);
}

/** A line for each hidden field of a form. */
export function hiddenInputs(fields: readonly (readonly [string, string])[]): string {
  return fields
    .map(
      ([name, value]) => `  <input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`,
    )
    .join("");
}
