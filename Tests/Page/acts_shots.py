"""Pictures of each view, light and dark, wide and small, of a bus on which much happens."""

from acts_views import PHONE, drawn, show_view
from furniture import furnish
from stage import Stage

SHOWN = ("overview", "tree", "follow", "publish", "work", "group", "topic", "subscribers", "learn", "docs")
ON_PHONES = ("overview", "follow")


async def pictures_are_taken(stage: Stage) -> str:
    """Each view has a picture in the folder."""
    folder = stage.plan.shots
    assert folder is not None
    folder.mkdir(parents=True, exist_ok=True)
    served = await stage.serve()
    await furnish(served.client, events=400)
    sizes = []
    for size, names in (((1280, 800), SHOWN), (PHONE, ON_PHONES)):
        for name in names:
            page = await show_view(stage, served, name, color_scheme="light", size=size)
            for scheme in ("light", "dark"):
                await page.emulate_media(color_scheme=scheme)
                await page.evaluate("Promise.allSettled(document.getAnimations().map(each => each.finished))")
                await drawn(page)
                file = folder / f"{name}-{scheme}{'-phone' if size == PHONE else ''}.png"
                await page.screenshot(path=file)
                sizes.append(file.stat().st_size)
    return f"{len(sizes)} pictures in {folder}, {sum(sizes) >> 10} KiB"


ACTS = [pictures_are_taken]
