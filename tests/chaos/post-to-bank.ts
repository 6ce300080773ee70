/**
 * Asks for what people do at a simulated bank, or for its clock.
 *
 * @returns false where the bank's own rules refuse it, as they do a void of what is settled.
 */
export async function postToBank(url: string, body: object): Promise<boolean> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  await answer.body?.cancel();
  if (!answer.ok && answer.status !== 409)
    throw new Error(`${url} ${JSON.stringify(body)}: ${answer.status}`);
  return answer.ok;
}
