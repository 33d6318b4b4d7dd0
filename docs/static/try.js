// Examples in Python can be tried where the page that decompiles in the browser was built into this folder.
addEventListener("load", async () => {
  const page = new URL(`${document.documentElement.dataset.content_root ?? "./"}browser/`, location.href);
  const answer = await fetch(new URL("versions.json", page), { method: "HEAD" }).catch(() => null);
  if (!answer?.ok) return;
  for (const example of document.querySelectorAll("article .highlight-python")) {
    const button = document.createElement("button");
    button.className = "try";
    button.textContent = "Try it";
    button.addEventListener("click", () => {
      const frame = document.createElement("iframe");
      frame.className = "try";
      frame.title = "This example, compiled and decompiled in the browser";
      frame.src = `${page.href}index.html#${new URLSearchParams({ code: example.innerText, layout: "author" })}`;
      button.replaceWith(frame);
    });
    example.after(button);
  }
});
