import type { Challenge } from "@holdfast/contracts";

/** Plays the cardholder at the simulator's issuer; the browser's way back is left to the test. */
export async function answerChallenge(
  { url, fields }: Pick<Challenge, "url" | "fields">,
  answer: "right" | "wrong" | "cancel",
): Promise<void> {
  const shown = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  const session = /name="session" value="([^"]+)"/.exec(await shown.text())?.[1];
  if (session === undefined) throw new Error("the issuer shows no challenge");
  const form = { session, code: answer === "right" ? "123456" : "000000", answer };
  const answered = await fetch(new URL("/acs/answer", url), {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
  });
  await answered.text();
}
