/* SPDX-License-Identifier: MIT */
/* Pages, and whether all is well. */
#include "answer.h"
#include "front.h"
#include "handlers.h"
#include "page.h"

bool handle_page_is(const struct request *request) {
    return page_find(request->path) != NULL;
}

void handle_page(struct request *request) {
    const struct page *page = page_find(request->path);
    answer_constant(request, page_type(page), page->text, *page->size, page->tag);
}

void handle_health(struct request *request) {
    struct front *front = request->front;
    struct mem_buffer out = {0};
    struct jot jot;
    if (!link_is_up(front->link)) {
        answer_unavailable(request, "redis_unavailable", link_reason(front->link));
        return;
    }
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_text(&jot, "status", "ok");
    jot_text(&jot, "version", SUSURRATION_VERSION);
    jot_close_map(&jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}
