/** The kind of an outcome, for tests that need nothing else of it. */
export async function kindOf(outcome: Promise<{ kind: string }>): Promise<string> {
  return (await outcome).kind;
}
