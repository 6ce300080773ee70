import type { ChallengeForm } from "@holdfast/contracts";

/** The fields that the browser brings back, in their order. */
export type ReturnedFields = [name: string, value: string][];

/** Plays the cardholder at the simulator's issuer; the browser's way back is left to the test. */
export async function answerChallenge(
  { url, fields }: Pick<ChallengeForm, "url" | "fields">,
  answer: "right" | "wrong" | "cancel",
): Promise<ReturnedFields> {
  const shown = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  const [session] = hiddenFields(await shown.text());
  if (session?.[0] !== "session") throw new Error("the issuer shows no challenge");
  const form = { session: session[1], code: answer === "right" ? "123456" : "000000", answer };
  const answered = await fetch(new URL("/acs/answer", url), {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
  });
  const location = answered.headers.get("location");
  const page = await answered.text();
  return location === null ? hiddenFields(page) : [...new URL(location).searchParams];
}

/** The fields of a page that sends itself. */
export function hiddenFields(html: string): ReturnedFields {
  return [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
    ([, name = "", value = ""]) => [name, value],
  );
}
