/** The kind of an outcome, for tests that need only that. */
export async function kindOf(outcome: Promise<{ kind: string }>): Promise<string> {
  return (await outcome).kind;
}
