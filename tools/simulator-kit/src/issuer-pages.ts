import { escapeHtml, htmlPage } from "./html-page.ts";

/** The code that passes every challenge. */
export const RIGHT_CODE = "123456";

/**
 * The issuer's page, which stands in for the page of the cardholder's bank. It has no script, so that a program can post its
 * form, too.
 * @param paying what is paid, and to whom
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
<p>This page stands in for your bank. You are about to pay ${escapeHtml(paying)}.</p>
<form method="post" action="${escapeHtml(action)}">
${hiddenInputs(fields)}  <p><label for="code">Code from your phone</label><br>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" autofocus></p>
  <p>${RIGHT_CODE} is the correct code; any other is wrong.</p>
  <p><button name="answer" value="submit">Confirm</button>
  <button name="answer" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

export function messagePage(text: string): string {
  return htmlPage("Your bank", `<p>${escapeHtml(text)}</p>`);
}

/** A line for each field of a form that nobody fills in. */
export function hiddenInputs(fields: readonly (readonly [string, string])[]): string {
  return fields
    .map(
      ([name, value]) => `  <input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`,
    )
    .join("");
}
