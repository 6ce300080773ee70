/**
 * The version of the record that a form was made from is sent with the form. The service compares it with the
 * newest one, and refuses an older change (`changed_since_read`): nobody overwrites a change of another tab
 * or person unseen.
 */
const FIELD = "version";

/** The field of a form's version. @param thing distinguishes several records on one page. */
function nameFor(thing: string | undefined): string {
  return thing === undefined ? FIELD : `${FIELD}.${thing}`;
}

export function isVersionField(name: string): boolean {
  return name === FIELD || name.startsWith(`${FIELD}.`);
}

/** The hidden field of a form about this version. */
export function seenVersion(version: number, thing?: string): Record<string, string> {
  return { [nameFor(thing)]: `${version}` };
}

/** The version of a form that was sent, as a parameter of its request. */
export function sentParameter(form: URLSearchParams, thing: string): { version: string | undefined } {
  return { version: form.get(nameFor(thing)) ?? undefined };
}

/** The version of a form that was sent, as a field of its request. */
export function sentVersion(form: URLSearchParams, thing?: string): { version?: number } {
  const sent = form.get(nameFor(thing));
  return sent === null ? {} : { version: Number(sent) };
}

/** Makes the forms of a page refer to the present version. */
export function forgetVersions(form: URLSearchParams): void {
  for (const name of [...form.keys()].filter(isVersionField)) form.delete(name);
}

/** True if a form that is shown again may have been made from another version than there is now. */
export function isMadeFromAnother(form: URLSearchParams, version: number, thing?: string): boolean {
  return sentVersion(form, thing).version !== version;
}
