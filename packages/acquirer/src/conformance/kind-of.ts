/** What a test says of an outcome when only its kind matters. */
export async function kindOf(outcome: Promise<{ kind: string }>): Promise<string> {
  return (await outcome).kind;
}
