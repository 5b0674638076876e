// Texts of a page with too little contrast for WCAG AA, each with its ratio, its ink and its ground. The ground of a
// text is what is painted below its middle; a gradient counts by the colour that tells least.
() => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    return [...brush.getImageData(0, 0, 1, 1).data];
  };
  const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const covers = (one) => one[3] > 127;
  const isDrawn = (element) => element instanceof SVGElement && element.localName !== "svg";

  function grounds(element) {
    const style = getComputedStyle(element);
    if (!isDrawn(element)) {
      const stops = style.backgroundImage.match(/rgba?\([^)]*\)/g) || [style.backgroundColor];
      return stops.map(colour).filter(covers);
    }
    if (element.closest("defs, text") || style.fill === "none" || Math.min(style.fillOpacity, style.opacity) < 0.5) return [];
    const gradient = style.fill.match(/url\("?#(\w+)/);
    if (!gradient) return [colour(style.fill)].filter(covers);
    const stops = [...document.querySelectorAll(`#${gradient[1]} stop`)].map((stop) => getComputedStyle(stop));
    return stops.some((one) => one.stopOpacity < 0.5) ? [] : stops.map((one) => colour(one.stopColor)).filter(covers);
  }

  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const says = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    // What may not be pressed now may be pale, and figures on chips are pictures of chips.
    if (!says || !isShown || element.closest("defs, .sr, .hands, [aria-hidden=true], button:disabled, [data-dark]")) continue;
    const box = element.getBoundingClientRect();
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const own = stack.findIndex((one) => one === element || element.contains(one));
    if (own < 0) continue; // scrolled away, or below something else
    const below = stack.slice(own).filter((one) => !(isDrawn(element) && element.contains(one)));
    const ground = below.map(grounds).find((one) => one.length) || [];
    const style = getComputedStyle(element), ink = colour(isDrawn(element) ? style.fill : style.color), px = parseFloat(style.fontSize);
    const least = px >= 24 || (px >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    for (const one of ground) {
      const got = ratio(ink, one);
      if (got < least) found.push(`${element.textContent.trim().slice(0, 40)}: ${got.toFixed(2)}, ${ink.slice(0, 3)} on ${one.slice(0, 3)}`);
    }
  }
  return found;
}
