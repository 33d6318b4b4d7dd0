// In a frame without an origin: shows the report that the page sends, whose own policy allows its script and no other.
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  document.open();
  document.write(data);
  document.close();
});
parent.postMessage("ready", "*");
