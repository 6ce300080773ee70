// Additions by a script. Every page can be read without it.

// A browser lets a page copy only where nobody on the way can have changed it.
for (const block of navigator.clipboard ? document.querySelectorAll("pre") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => void copy(block, button));
  block.before(button);
}

async function copy(block, button) {
  // Without a last line's end a terminal waits for the reader.
  await navigator.clipboard.writeText(block.textContent.trimEnd());
  button.textContent = "Copied";
}

// The language of the examples stays the reader's on every page.
const kept = localStorage.getItem("language");
for (const choice of document.querySelectorAll('input[name="language"]')) {
  if (choice.value === kept) choice.checked = true;
  choice.addEventListener("change", () => localStorage.setItem("language", choice.value));
}
