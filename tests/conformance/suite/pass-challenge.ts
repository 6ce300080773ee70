import type { PlayedBank } from "../played-banks.ts";

/** Posts each page's form, as a browser does, until one leads back to us. @returns the fields of the return. */
export async function passChallenge(
  bank: Pick<PlayedBank, "account">,
  html: string,
  { code, returnUrl }: { code: string; returnUrl: string },
): Promise<[string, string][]> {
  const inputs = [...html.matchAll(/<input\b([^<>]*)>/gi)].map(([, attributes = ""]) => attributes);
  const fields = inputs.map((of): [string, string] => {
    const name = attributeOf(of, "name");
    return [name, name === "code" ? code : attributeOf(of, "value")];
  });
  const posted = fields.filter(([name]) => name !== "");
  const action = attributeOf(html, "action");
  if (action === returnUrl) return posted;
  const url = new URL(action, String(bank.account.settings["gateUrl"]));
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(posted) });
  return await passChallenge(bank, await answer.text(), { code, returnUrl });
}

function attributeOf(text: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return value.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
