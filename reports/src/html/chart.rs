//! The trend of a device as a picture: SVG in the page, its colours left to the style sheet.

use plotters::{
    coord::Shift,
    prelude::{
        AreaSeries, ChartBuilder, Circle, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _,
        IntoFont as _, LineSeries, PathElement, RGBColor, SVGBackend, Text,
    },
    style::{Color as _, TRANSPARENT},
};

use crate::{
    history::Series,
    text::{one_line, plural},
};

const SIZE: (u32, u32) = (960, 240);

// The style sheet finds these by their value and gives them the colours of the theme.
const INK: RGBColor = RGBColor(1, 0, 1);
const GRID: RGBColor = RGBColor(1, 0, 2);
const DEVIATING: RGBColor = RGBColor(1, 0, 3);
const UNEXPECTED: RGBColor = RGBColor(1, 0, 4);
const MARK: RGBColor = RGBColor(1, 0, 5);

/// Days and versions are shown up to so many.
const LABELS: usize = 8;

/// What the picture shows, for those who do not see it.
pub(super) fn description(series: &Series) -> String {
    let (Some(first), Some(last)) = (series.runs.first(), series.runs.last()) else {
        return "no run".to_owned();
    };
    format!(
        "{} of {}: {} cases deviated on {}, {} on {}",
        plural(series.runs.len(), "run"),
        series.name(),
        first.deviating(),
        first.day(),
        last.deviating(),
        last.day()
    )
}

/// Deviating and unexpected cases over the runs, with a mark where the driver changed. Drawing into memory fails
/// on nothing but a defect; then there is no picture.
pub(super) fn trend(series: &Series) -> String {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    let drawn = draw(&area, series).and_then(|()| area.present());
    drop(area);
    if drawn.is_ok() { svg } else { String::new() }
}

type Failure<'s> =
    DrawingAreaErrorKind<<SVGBackend<'s> as plotters::prelude::DrawingBackend>::ErrorType>;

fn draw<'s>(area: &DrawingArea<SVGBackend<'s>, Shift>, series: &Series) -> Result<(), Failure<'s>> {
    let points = |count: fn(&crate::history::PastRun) -> usize| -> Vec<(f64, f64)> {
        let runs = series.runs.iter().enumerate();
        runs.map(|(index, run)| (index as f64, count(run) as f64)).collect()
    };
    let deviating = points(crate::history::PastRun::deviating);
    let unexpected = points(|run| run.unexpected);
    let highest = deviating.iter().map(|point| point.1).fold(1.0, f64::max);
    let last = (series.runs.len().max(2) - 1) as f64;
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_top(22)
        .margin_right(24)
        .x_label_area_size(26)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..last, 0.0..highest * 1.12)?;
    let day = |at: &f64| {
        let run =
            series.runs.iter().zip(0u32..).find(|(_, index)| (f64::from(*index) - at).abs() < 1e-6);
        run.map_or_else(String::new, |(run, _)| one_line(run.day(), 12))
    };
    let font = ("sans-serif", 14).into_font();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(series.runs.len().min(LABELS))
        .y_labels(5)
        .x_label_formatter(&day)
        .y_label_formatter(&|count| format!("{count:.0}"))
        .label_style(font.color(&INK))
        .draw()?;
    let mut marks = 0;
    for (index, pair) in series.runs.windows(2).enumerate() {
        if pair[0].driver == pair[1].driver || marks == LABELS {
            continue;
        }
        marks += 1;
        let at = (index + 1) as f64;
        chart.draw_series([PathElement::new(vec![(at, 0.0), (at, highest * 1.12)], MARK)])?;
        let label = one_line(&pair[1].driver, 22);
        chart.draw_series([Text::new(
            label,
            (at, highest * 1.11),
            ("sans-serif", 13).into_font().color(&MARK),
        )])?;
    }
    chart.draw_series(
        AreaSeries::new(deviating.iter().copied(), 0.0, DEVIATING.mix(0.18))
            .border_style(DEVIATING.stroke_width(2)),
    )?;
    chart.draw_series(deviating.iter().map(|&at| Circle::new(at, 3, DEVIATING.filled())))?;
    chart.draw_series(LineSeries::new(unexpected.iter().copied(), UNEXPECTED.stroke_width(2)))?;
    chart.draw_series(unexpected.iter().map(|&at| Circle::new(at, 3, UNEXPECTED.filled())))?;
    Ok(())
}
