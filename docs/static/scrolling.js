// Code and tables that are wider than the page are scrolled by keyboard too, once they can have the focus.
addEventListener("load", () => {
  for (const one of document.querySelectorAll("article pre, article .table-wrapper")) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
  }
});
