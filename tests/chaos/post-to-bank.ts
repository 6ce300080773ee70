/**
 * Asks a simulated bank for an action of its staff, or moves its clock.
 *
 * @returns false if the bank's own rules refuse it, such as a void of a settled payment.
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
