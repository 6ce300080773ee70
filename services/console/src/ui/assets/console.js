// Additions by a script. Every page works without it.

// Times in the reader's own zone, which is named; the exact one, in UTC, stays in the title.
const format = new Intl.DateTimeFormat(document.documentElement.dataset.locale, {
  dateStyle: "medium",
  timeStyle: "long",
});
for (const time of document.querySelectorAll("time[datetime]")) {
  time.textContent = format.format(new Date(time.dateTime));
}

// Fields for a moment are in that zone, too, which their labels name. UTC is sent, so that an address means the same to
// everybody who opens it, and exactly the moment that came where nobody has changed it.
const { timeZone } = format.resolvedOptions();
for (const zone of document.querySelectorAll("[data-zone]")) zone.textContent = timeZone;
for (const field of document.querySelectorAll("input[data-instant]")) {
  const came = new Date(field.dataset.instant);
  if (!Number.isNaN(came.getTime())) field.defaultValue = localOf(came);
  field.form.addEventListener("formdata", ({ formData }) => {
    if (field.value === "") return;
    const [written, shown] = [new Date(field.value), new Date(field.defaultValue)];
    formData.set(field.name, (written.getTime() === shown.getTime() ? came : written).toISOString());
  });
}

// The field's own notation, as short as the browser's: a field that nobody has changed is seen to be unchanged.
function localOf(at) {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace(/:00$/, "");
}

// A page that the browser has kept is asked for again: the person may have signed out since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// A list of work is shown as it is now when somebody looks at it again, unless they have begun to write.
const refresh = document.querySelector("a[data-refresh]");
const shownAt = performance.now();
document.addEventListener("visibilitychange", () => {
  const isWriting = [...document.querySelectorAll("main input, main textarea")].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
  );
  const isOld = performance.now() - shownAt > 10_000;
  if (refresh && document.visibilityState === "visible" && isOld && !isWriting)
    location.replace(refresh.href);
});

// A finished action is read out, and a refusal has the focus.
document.querySelector('main [role="alert"]')?.focus();

// A secret that is shown once is copied with one click.
for (const shown of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = shown.dataset.copy;
  button.addEventListener("click", () => void copy(shown, button));
  shown.after(" ", button);
}

async function copy(shown, button) {
  await navigator.clipboard.writeText(shown.textContent);
  button.textContent = shown.dataset.copied;
}

// An action that cannot be taken back is asked about. A form that still has its question is asked about by the server.
for (const asked of document.querySelectorAll('input[name="question"]')) {
  const { form, value } = asked;
  form.addEventListener("submit", (event) => {
    // The first one is the form's own: what follows has names that merchants choose.
    const question = value.replace(/\{(?:amount|outcome|decision)\}/, (text) => {
      const field = form.elements[text.slice(1, -1)];
      return field?.selectedOptions?.[0]?.textContent ?? field?.value ?? text;
    });
    if (confirm(question)) asked.remove();
    else event.preventDefault();
  });
}

// The sum of what is selected is shown before anything is decided.
const sum = document.querySelector("[data-sum]");
if (sum) {
  const boxes = [...document.querySelectorAll("input[data-amount]")];
  const hint = sum.textContent;
  const show = () => {
    const chosen = boxes.filter(({ checked }) => checked);
    const sums = new Map();
    for (const { dataset } of chosen)
      sums.set(dataset.currency, (sums.get(dataset.currency) ?? 0) + Math.round(dataset.amount * 10_000));
    const amounts = [...sums].map(([currency, minor]) =>
      new Intl.NumberFormat(document.documentElement.dataset.locale, { style: "currency", currency }).format(
        minor / 10_000,
      ),
    );
    sum.textContent =
      chosen.length === 0
        ? hint
        : sum.dataset.sum.replace("{count}", chosen.length).replace("{sum}", () => amounts.join(" + "));
  };
  document.querySelector("[data-select-all]").addEventListener("click", (event) => {
    event.preventDefault();
    const all = boxes.every(({ checked }) => checked);
    for (const box of boxes) box.checked = !all;
    show();
  });
  for (const box of boxes) box.addEventListener("change", show);
  show();
}
