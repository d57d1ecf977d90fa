//! The trend of a device as a picture: SVG in the page, its colours left to the style sheet.

use plotters::{
    coord::Shift,
    prelude::{
        AreaSeries, ChartBuilder, Circle, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _,
        IntoFont as _, LineSeries, PathElement, RGBColor, SVGBackend, Text,
    },
    style::{
        Color as _, TRANSPARENT, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::time_axis::TimeAxis;
use crate::{
    history::{PastRun, Series},
    text::{one_line, plural},
};

const SIZE: (u32, u32) = (960, 300);

/// Names of drivers stand in rows so high above the picture, of letters no wider than this.
const LABEL_ROWS: [i32; 3] = [18, 36, 54];
const WIDTH_OF_A_LETTER: i32 = 9;

// The style sheet finds these by their value and gives them the colours of the theme.
const INK: RGBColor = RGBColor(1, 0, 1);
const GRID: RGBColor = RGBColor(1, 0, 2);
const DEVIATING: RGBColor = RGBColor(1, 0, 3);
const UNEXPECTED: RGBColor = RGBColor(1, 0, 4);
const MARK: RGBColor = RGBColor(1, 0, 5);

/// Drivers are marked up to so many.
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
    let axis = TimeAxis::of(&series.runs);
    let at = |index: usize| axis.places[index];
    let points = |count: fn(&PastRun) -> usize| -> Vec<(f64, f64)> {
        let runs = series.runs.iter().enumerate();
        runs.map(|(index, run)| (at(index), count(run) as f64)).collect()
    };
    let deviating = points(PastRun::deviating);
    let unexpected = points(|run| run.unexpected);
    let most = series.runs.iter().map(|run| run.deviating().max(run.unexpected)).max();
    let most = most.unwrap_or_default().max(1);
    let highest = most as f64;
    let drivers = new_drivers(series);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_top(64)
        .margin_right(56)
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d(axis.range(), 0.0..highest)?;
    let font = ("sans-serif", 14).into_font();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(0)
        .x_desc(axis.says)
        // More would repeat a count where there are few cases.
        .y_labels(most.min(5) + 1)
        .y_label_formatter(&|count| format!("{count:.0}"))
        .y_desc("cases")
        .axis_desc_style(font.clone().color(&INK))
        .label_style(font.color(&INK))
        .draw()?;
    let style = |color: &'static RGBColor, place: Pos| {
        TextStyle::from(("sans-serif", 14).into_font()).color(color).pos(place)
    };
    let below = style(&INK, Pos::new(HPos::Center, VPos::Top));
    for (place, label) in &axis.ticks {
        let (x, y) = chart.plotting_area().map_coordinate(&(*place, 0.0));
        area.draw(&PathElement::new(vec![(x, y), (x, y + 5)], GRID))?;
        area.draw(&Text::new(label.clone(), (x, y + 8), below.clone()))?;
    }
    let mut taken = LABEL_ROWS.map(|height| (height, i32::MIN));
    let end = area.get_pixel_range().0.end;
    for (index, driver) in drivers {
        let (x, top) = chart.plotting_area().map_coordinate(&(at(index), highest));
        let (_, bottom) = chart.plotting_area().map_coordinate(&(at(index), 0.0));
        area.draw(&PathElement::new(vec![(x, top), (x, bottom)], MARK))?;
        // On the side that has room, in the first row that is free; the table below names every driver.
        let width: i32 = driver.chars().map(|_| WIDTH_OF_A_LETTER).sum();
        let (left, side) = if x + width < end { (x, HPos::Left) } else { (x - width, HPos::Right) };
        let Some((height, taken)) = taken.iter_mut().find(|(_, end)| *end < left) else { continue };
        *taken = left + width;
        let y = top - *height;
        area.draw(&Text::new(driver, (x, y), style(&MARK, Pos::new(side, VPos::Top))))?;
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

/// The runs that are the first with their driver, and what that says of itself.
fn new_drivers(series: &Series) -> Vec<(usize, String)> {
    let pairs = series.runs.windows(2).zip(1..);
    let new = pairs.filter(|(pair, _)| pair[0].driver != pair[1].driver);
    new.map(|(pair, index)| (index, one_line(&pair[1].driver, 30))).take(LABELS).collect()
}
